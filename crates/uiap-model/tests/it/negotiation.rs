//! What two peers agree on.

use serde_json::{Value, json};
use uiap_model::core::limits::{Limits, SessionLimits};
use uiap_model::core::negotiation::{
    Agreement, Offer, canonical_type, check_answer, check_message_type, check_vendor_extension,
};
use uiap_model::core::registry::{MESSAGES, find};
use uiap_model::core::{ErrorPayload, SessionInitializePayload, SessionInitializedPayload};
use uiap_model::names::{ExtensionId, ProfileId};
use uiap_model::{Version, parse};

use crate::support::changed;

fn owner() -> Offer {
    let version = |text: &str| Version::parse(text).unwrap();
    Offer {
        versions: vec![version("0.2"), version("0.10")],
        profiles: vec![ProfileId::parse("web@0.1").unwrap()],
        extensions: vec![
            (ExtensionId::parse("uiap.policy").unwrap(), vec![version("0.1")]),
            (ExtensionId::parse("uiap.workflow").unwrap(), vec![version("0.1")]),
        ],
        limits: None,
    }
}

fn asked() -> Value {
    json!({ "supportedVersions": ["0.9", "0.10", "0.2"], "peer": { "role": "agent", "id": "a" },
        "supportedProfiles": ["web@0.1", "x.tv@0.1"] })
}

fn negotiate(offer: &Offer, asked: &Value) -> Result<Agreement, ErrorPayload> {
    let payload: SessionInitializePayload = parse(asked.to_string().as_bytes()).unwrap();
    offer.negotiate(&payload)
}

/// Requirement: CORE-R2-01
#[test]
fn the_highest_common_version_wins_number_by_number() {
    assert_eq!(negotiate(&owner(), &asked()).unwrap().version.to_string(), "0.10");
    let turned = changed(asked(), "/supportedVersions", json!(["0.2", "0.10", "0.9"]));
    assert_eq!(negotiate(&owner(), &turned).unwrap().version.to_string(), "0.10");
}

/// Requirement: CORE-R2-02
#[test]
fn another_major_never_matches() {
    let error =
        negotiate(&owner(), &changed(asked(), "/supportedVersions", json!(["1.2", "1.10"]))).unwrap_err();
    assert_eq!(error.code, "unsupported_version");
    assert_eq!(error.detail.unwrap().0["supported"], json!(["0.2", "0.10"]));
}

/// Requirement: CORE-R3-01
/// Requirement: CORE-ST-03
#[test]
fn profiles_are_the_non_empty_intersection() {
    let agreed = negotiate(&owner(), &asked()).unwrap();
    assert_eq!(agreed.profiles, [ProfileId::parse("web@0.1").unwrap()]);
    for none in [json!(["x.tv@0.1"]), json!([])] {
        let error = negotiate(&owner(), &changed(asked(), "/supportedProfiles", none)).unwrap_err();
        assert_eq!(error.code, "unsupported_profile");
    }
}

fn with_extensions(offers: Value) -> Value {
    changed(asked(), "/extensions", offers)
}

/// Requirement: CORE-R4-01
/// Requirement: CORE-P-07
#[test]
fn each_extension_is_selected_once_at_its_highest_common_version() {
    let agreed =
        negotiate(&owner(), &with_extensions(json!([{ "id": "uiap.workflow", "versions": ["0.1", "0.2"] }])))
            .unwrap();
    assert_eq!(
        serde_json::to_value(&agreed.extensions).unwrap(),
        json!([{ "id": "uiap.workflow", "version": "0.1" }])
    );
    assert!(negotiate(&owner(), &asked()).unwrap().extensions.is_empty());
    let twice = json!([{ "id": "uiap.workflow", "versions": ["0.1"] }, { "id": "uiap.workflow", "versions": ["0.2"] }]);
    let error = negotiate(&owner(), &with_extensions(twice)).unwrap_err();
    assert_eq!(
        (error.code.as_str(), error.pointer.unwrap().as_str()),
        ("invalid_payload", "/payload/extensions/1/id")
    );
}

/// Requirement: CORE-R4-02
/// Requirement: CORE-MSG-02
#[test]
fn an_unmatched_extension_is_left_out_unless_it_is_required() {
    let offer = |required: Option<bool>| {
        let mut offer = json!({ "id": "x.acme.foo", "versions": ["0.1"] });
        if let Some(required) = required {
            offer["required"] = json!(required);
        }
        with_extensions(json!([offer]))
    };
    let error = negotiate(&owner(), &offer(Some(true))).unwrap_err();
    assert_eq!(error.code, "extension_required");
    assert_eq!(error.detail.unwrap().0["id"], "x.acme.foo");
    for optional in [None, Some(false)] {
        assert!(negotiate(&owner(), &offer(optional)).unwrap().extensions.is_empty());
    }
}

/// Requirement: CORE-R5-01
#[test]
fn vendors_stay_in_their_own_name_space() {
    assert!(check_vendor_extension("x.acme.foo").is_ok());
    for bad in ["uiap.mine", "foo", "x.foo"] {
        let problem = check_vendor_extension(bad).unwrap_err();
        assert!(problem.help.unwrap().contains("x.<vendor>.<name>"));
    }
}

/// Requirement: CORE-R5-02
#[test]
fn message_types_begin_with_their_owner() {
    for spec in MESSAGES {
        let owner = if spec.name.starts_with("uiap.") {
            spec.name.split('.').take(2).collect::<Vec<_>>().join(".")
        } else {
            spec.name.split('.').next().unwrap().to_owned()
        };
        assert!(
            [
                "session",
                "capabilities",
                "web",
                "action",
                "error",
                "uiap.policy",
                "uiap.workflow",
                "uiap.discovery"
            ]
            .contains(&owner.as_str()),
            "{}",
            spec.name
        );
    }
    assert!(check_message_type("web@0.1", "web.state.get").is_ok());
    assert!(check_message_type("x.acme.foo", "x.acme.foo.ping").is_ok());
    for (owner, name) in
        [("web@0.1", "state.foo"), ("web@0.1", "website.foo"), ("uiap.policy", "uiap.policy")]
    {
        assert!(check_message_type(owner, name).is_err(), "{owner} {name}");
    }
}

/// The former name of the policy extension is understood and answered in kind.
#[test]
fn the_policy_alias_is_accepted_and_never_selected_twice() {
    let agreed =
        negotiate(&owner(), &with_extensions(json!([{ "id": "uicp.policy", "versions": ["0.1"] }]))).unwrap();
    assert_eq!(agreed.extensions[0].id, "uicp.policy");
    for order in [["uicp.policy", "uiap.policy"], ["uiap.policy", "uicp.policy"]] {
        let both = order.map(|id| json!({ "id": id, "versions": ["0.1"] }));
        let agreed = negotiate(&owner(), &with_extensions(json!(both))).unwrap();
        let selected: Vec<_> = agreed.extensions.iter().map(|each| each.id.as_str()).collect();
        assert_eq!(selected, ["uiap.policy"]);
    }
    let twice =
        json!([{ "id": "uicp.policy", "versions": ["0.1"] }, { "id": "uicp.policy", "versions": ["0.1"] }]);
    assert_eq!(negotiate(&owner(), &with_extensions(twice)).unwrap_err().code, "invalid_payload");
    assert_eq!(canonical_type("uicp.policy.get"), "uiap.policy.get");
    assert_eq!(canonical_type("uicp.policyx"), "uicp.policyx");
    assert_eq!(find("uicp.policy.evaluate").unwrap().name, "uiap.policy.evaluate");
}

/// Requirement: CORE-R11-02
#[test]
fn the_smaller_limit_holds() {
    let limits = |value: Value| parse::<SessionLimits>(value.to_string().as_bytes()).unwrap();
    let ours = limits(json!({ "maxInFlight": 4, "maxMessageBytes": 2000 }));
    let theirs = limits(json!({ "maxInFlight": 8, "maxMessageBytes": 1000 }));
    let agreed = Limits::agree(Some(&ours), Some(&theirs));
    assert_eq!(
        (agreed.max_in_flight, agreed.max_message_bytes, agreed.request_timeout_ms),
        (4, 1000, 30_000)
    );
    assert_eq!(Limits::agree(Some(&theirs), Some(&ours)), agreed);
    assert_eq!(agreed.stated().max_in_flight.unwrap().0, 4);
}

/// Requirement: CORE-MSG-13
#[test]
fn limits_are_positive_whole_numbers() {
    for name in ["maxMessageBytes", "maxInFlight", "requestTimeoutMs"] {
        assert!(parse::<SessionLimits>(json!({ name: 1 }).to_string().as_bytes()).is_ok());
        for bad in [json!(0), json!(-1), json!(1.5), json!("1")] {
            let problems = parse::<SessionLimits>(json!({ name: bad }).to_string().as_bytes()).unwrap_err();
            assert_eq!(problems[0].pointer, format!("/{name}"));
        }
    }
}

/// Requirement: CORE-MSG-04
#[test]
fn the_initiator_refuses_what_it_never_offered() {
    let asked: SessionInitializePayload =
        parse(with_extensions(json!([{ "id": "uiap.policy", "versions": ["0.1"] }])).to_string().as_bytes())
            .unwrap();
    let answer = json!({ "sessionId": "s", "selectedVersion": "0.10", "peer": { "role": "bridge", "id": "b" },
        "selectedProfiles": ["web@0.1"], "extensions": [{ "id": "uiap.policy", "version": "0.1" }] });
    let check = |value: &Value| {
        check_answer(&asked, &parse::<SessionInitializedPayload>(value.to_string().as_bytes()).unwrap())
    };
    assert_eq!(check(&answer), []);
    for (pointer, value, place) in [
        ("/selectedVersion", json!("0.3"), "/selectedVersion"),
        ("/selectedProfiles", json!(["x.other@0.1"]), "/selectedProfiles/0"),
        ("/extensions", json!([{ "id": "uiap.workflow", "version": "0.1" }]), "/extensions/0"),
        ("/extensions", json!([{ "id": "uiap.policy", "version": "0.2" }]), "/extensions/0"),
    ] {
        assert_eq!(check(&changed(answer.clone(), pointer, value))[0].pointer, place);
    }
    for member in ["sessionId", "selectedVersion", "peer", "selectedProfiles"] {
        let bare = changed(answer.clone(), &format!("/{member}"), Value::Null);
        assert!(parse::<SessionInitializedPayload>(bare.to_string().as_bytes()).is_err(), "{member}");
    }
}
