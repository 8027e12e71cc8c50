//! Roles, states, options, issues and annotations of single elements.

use serde_json::{Value, json};
use uiap_model::web::element::ElementOption;
use uiap_model::web::graph::SemanticSource;

use crate::shared::{
    element, evaluate, has, json as text_of, named, options, page, role, run, scope_of, snapshot,
    snapshot_with, state, text,
};

/// Requirement: WEB-N-01
/// Requirement: WEB-N-02
/// Requirement: WEB-N-03
/// Requirement: WEB-N-04
/// Requirement: WEB-N-05
/// Requirement: WEB-N-07
/// Requirement: WEB-N-11
/// Requirement: WEB-N-12
#[test]
fn native_elements_have_the_roles_of_the_table() {
    const CASES: &[(&str, &str)] = &[
        ("<button aria-label=N>", "button"),
        ("<input type=button aria-label=N>", "button"),
        ("<input type=submit aria-label=N>", "button"),
        ("<input type=reset aria-label=N>", "button"),
        ("<input type=image width=9 height=9 aria-label=N>", "button"),
        ("<a href=# aria-label=N>x</a>", "link"),
        ("<input aria-label=N>", "textbox"),
        ("<input type=email aria-label=N>", "textbox"),
        ("<input type=nonsense aria-label=N>", "textbox"),
        ("<input type=search aria-label=N>", "searchbox"),
        ("<textarea aria-label=N></textarea>", "textarea"),
        ("<div contenteditable aria-label=N>x</div>", "textarea"),
        ("<select aria-label=N><option>1</select>", "combobox"),
        ("<select multiple aria-label=N><option>1</select>", "listbox"),
        ("<select size=3 aria-label=N><option>1</select>", "listbox"),
        ("<input type=checkbox aria-label=N>", "checkbox"),
        ("<input type=checkbox role=switch aria-label=N>", "switch"),
        ("<input type=radio aria-label=N>", "radio"),
        ("<input type=range aria-label=N>", "slider"),
        ("<input type=number aria-label=N>", "spinbutton"),
        ("<input type=date aria-label=N>", "datepicker"),
        ("<input type=datetime-local aria-label=N>", "datepicker"),
        ("<input type=month aria-label=N>", "datepicker"),
        ("<input type=week aria-label=N>", "datepicker"),
        ("<input type=time aria-label=N>", "timepicker"),
        ("<input type=file aria-label=N>", "fileinput"),
        ("<progress aria-label=N></progress>", "progress"),
        ("<output aria-label=N>x</output>", "status"),
        ("<div role=status aria-label=N>x</div>", "status"),
        ("<div role=alert aria-label=N>x</div>", "alert"),
        (
            "<img alt=N width=9 height=9 src='data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw=='>",
            "image",
        ),
        ("<video controls aria-label=N></video>", "video"),
        ("<audio controls aria-label=N></audio>", "audio"),
        ("<canvas aria-label=N></canvas>", "canvas"),
        ("<div role=tablist><div role=tab aria-label=N>x</div></div>", "tab"),
        ("<details><summary aria-label=N>x</summary>y</details>", "button"),
    ];
    run(async {
        let page = page("").await;
        for (html, wanted) in CASES {
            evaluate(&page, &format!("document.body.innerHTML = {}", json!(html))).await;
            let graph = snapshot(&page).await;
            let found: Vec<_> = named(&graph, "N").into_iter().map(role).collect();
            assert_eq!(found, [*wanted], "{html}");
        }
        for html in ["<input type=hidden value=N>", "<img alt='' src=x>"] {
            evaluate(&page, &format!("document.body.innerHTML = {}", json!(html))).await;
            assert_eq!(snapshot(&page).await.elements().count(), 0, "{html}");
        }
        for html in ["<a>N</a>", "<div>N</div>"] {
            evaluate(&page, &format!("document.body.innerHTML = {}", json!(html))).await;
            assert_eq!(element(&snapshot(&page).await, "N").source, SemanticSource::Text, "{html}");
        }
    });
}

/// Requirement: WEB-N-06
#[test]
fn each_state_that_the_dom_tells_is_told() {
    const CASES: &[(&str, &str, &str)] = &[
        ("<button disabled>N</button>", "enabled", "false"),
        ("<fieldset disabled><button>N</button></fieldset>", "enabled", "false"),
        ("<div aria-disabled=true><button>N</button></div>", "enabled", "false"),
        ("<button>N</button>", "focusable", "true"),
        (
            "<button autofocus>N</button><script>document.querySelector('button').focus()</script>",
            "visible",
            "true",
        ),
        ("<input aria-label=N>", "editable", "true"),
        ("<input aria-label=N readonly>", "readonly", "true"),
        ("<input aria-label=N required>", "required", "true"),
        ("<input aria-label=N aria-required=true>", "required", "true"),
        ("<button aria-busy=true>N</button>", "busy", "true"),
        ("<button aria-busy=true>N</button>", "loading", "true"),
        ("<div role=tablist><div role=tab aria-selected=true>N</div></div>", "selected", "true"),
        ("<input type=checkbox checked aria-label=N>", "checked", "true"),
        ("<div role=checkbox aria-checked=mixed>N</div>", "checked", "\"mixed\""),
        ("<button aria-pressed=false>N</button>", "pressed", "false"),
        ("<button aria-expanded=false>N</button>", "expanded", "false"),
        ("<details open><summary>N</summary>x</details>", "expanded", "true"),
        ("<a href=# aria-current=page>N</a>", "current", "\"page\""),
        ("<input aria-label=N aria-invalid=grammar>", "invalid", "\"grammar\""),
        ("<textarea aria-label=N></textarea>", "multiline", "true"),
        ("<button aria-haspopup=true>N</button>", "hasPopup", "\"menu\""),
        (
            "<div role=slider aria-label=N aria-orientation=vertical aria-valuenow=3 tabindex=0>x</div>",
            "orientation",
            "\"vertical\"",
        ),
        ("<input aria-label=N value=' Ada  L'>", "textValue", "\" Ada  L\""),
        ("<div role=status aria-label=N>Saved  it</div>", "textValue", "\"Saved it\""),
        ("<select aria-label=N><option>One<option selected>Two</select>", "textValue", "\"Two\""),
        ("<input type=range aria-label=N min=1 max=5 value=3>", "numericValue", "3.0"),
        ("<input type=range aria-label=N min=1 max=5 value=3>", "max", "5.0"),
        ("<input type=number aria-label=N step=2>", "step", "2.0"),
        ("<input type=number aria-label=N>", "numericValue", "null"),
        ("<progress aria-label=N value=2 max=4></progress>", "numericValue", "2.0"),
        ("<div role=slider aria-label=N aria-valuemin=2 tabindex=0>x</div>", "min", "2.0"),
        ("<input aria-label=N placeholder=Hint>", "placeholder", "\"Hint\""),
        ("<div aria-grabbed=true role=button>N</div>", "dragged", "true"),
    ];
    run(async {
        let page = page("").await;
        for (html, key, wanted) in CASES {
            evaluate(&page, &format!("document.body.innerHTML = {}", json!(html))).await;
            let graph = snapshot(&page).await;
            let found = state(element(&graph, "N"), key);
            let wanted: Value = serde_json::from_str(wanted).unwrap();
            let equal = found == wanted || (found.as_f64().is_some() && found.as_f64() == wanted.as_f64());
            assert!(equal, "{html}: {key} is {found}");
        }
    });
}

/// Requirement: WEB-T-08
#[test]
fn focus_and_hover_are_told() {
    run(async {
        let page = page("<form aria-label=F><input aria-label=N></form><button>B</button>").await;
        assert_eq!(snapshot(&page).await.focus.unwrap().instance_id, None);
        evaluate(&page, "document.querySelector('input').focus()").await;
        let graph = snapshot(&page).await;
        let field = element(&graph, "N");
        assert_eq!(state(field, "focused"), true);
        let focus = graph.focus.as_ref().unwrap();
        assert_eq!(focus.instance_id.as_ref(), Some(&field.instance_id));
        assert_eq!(focus.scope_id.as_ref(), Some(&scope_of(&graph, uiap_model::web::ScopeKind::Form).id));
    });
}

/// Requirement: WEB-G-12
#[test]
fn options_are_listed_as_in_the_dom() {
    run(async {
        let page = page("<select aria-label=N><option value=a>Ann<option value=b selected>Bob<option value=c disabled>Cy</select>").await;
        let graph = snapshot(&page).await;
        let option = |value: &str, label: &str, selected: Option<bool>, disabled: Option<bool>| {
            ElementOption { value: value.into(), label: label.into(), selected, disabled }
        };
        let wanted = vec![
            option("a", "Ann", None, None),
            option("b", "Bob", Some(true), None),
            option("c", "Cy", None, Some(true)),
        ];
        assert_eq!(element(&graph, "N").options, Some(wanted));
        let without = snapshot_with(&page, &options(r#"{"includeOptions":false}"#)).await;
        assert_eq!(element(&without, "N").options, None);
    });
}

/// Requirement: WEB-G-15
#[test]
fn an_invalid_field_is_an_issue_of_its_form() {
    run(async {
        let page = page(
            "<form aria-label=F><input aria-label=Mail aria-invalid=true aria-errormessage=e><span id=e>Not an address</span>
             <button>Send</button></form>",
        )
        .await;
        let graph = snapshot(&page).await;
        let form = scope_of(&graph, uiap_model::web::ScopeKind::Form);
        let issues = form.issues.as_ref().unwrap();
        assert_eq!(issues.len(), 1);
        let issue = issues.first().unwrap();
        assert_eq!(issue.message, "Not an address");
        assert_eq!(issue.instance_id.as_ref(), Some(&element(&graph, "Mail").instance_id));
        assert_eq!(form.submit_target.as_ref(), Some(&element(&graph, "Send").instance_id));
    });
}

#[test]
fn clickable_elements_without_semantics_are_found_and_marked() {
    run(async {
        let page = page(
            "<div style=cursor:pointer>Card <b>bold</b></div><span onclick='0'>Inline</span><div tabindex=0>Stop</div><p>Plain</p>
             <button><span style=cursor:pointer>Inner</span></button>",
        )
        .await;
        let graph = snapshot(&page).await;
        for name in ["Card bold", "Inline", "Stop"] {
            let each = element(&graph, name);
            assert_eq!(each.source, SemanticSource::Heuristic);
            assert_eq!(role(each), "custom");
            assert!(each.affordances.iter().any(|affordance| text(affordance) == "activate"));
        }
        assert_eq!(element(&graph, "Plain").source, SemanticSource::Text);
        assert_eq!(graph.elements().count(), 5);
    });
}

/// Requirement: WEB-A-01
/// Requirement: WEB-A-03
/// Requirement: WEB-A-05
/// Requirement: WEB-A-06
/// Requirement: WEB-A-07
/// Requirement: WEB-A-08
/// Requirement: WEB-R8-02
#[test]
fn annotations_come_before_everything_else() {
    run(async {
        let page = page(
            r#"<main data-uiap-route=videos.list>
            <a href=# role=tab data-uiap-id=save data-uiap-role=button data-uiap-name="Save it" data-uiap-meaning="stores"
              data-uiap-action=video.save data-uiap-actions="video.save ui.activate" data-uiap-risk=confirm data-uiap-risk-tags="billing legal"
              data-uiap-data-class="personal payment" data-uiap-success='[{"kind":"toast.contains","text":"Saved"}]' data-uiap-entity=video:7>x</a>
            <button data-uiap-role=nonsense data-uiap-risk=odd data-uiap-success="[broken" data-uiap-entity=none>Other</button>
            <button data-uiap-id=twin>One</button><button data-uiap-id=twin>Two</button>
            <div data-uiap-ignore><button>Ignored</button></div></main>"#,
        )
        .await;
        let graph = snapshot(&page).await;
        assert_eq!(graph.route.route_id.as_deref(), Some("videos.list"));
        let save = element(&graph, "Save it");
        assert_eq!((role(save).as_str(), &save.source), ("button", &SemanticSource::Annotation));
        assert_eq!(save.stable_id.as_ref().unwrap().as_str(), "save");
        assert_eq!(save.meaning.as_deref(), Some("stores"));
        assert_eq!(save.default_action.as_ref().unwrap().as_str(), "video.save");
        assert_eq!(save.supported_actions.as_ref().unwrap().len(), 2);
        assert_eq!(
            serde_json::to_value(&save.risk).unwrap(),
            json!({"level": "confirm", "tags": ["billing", "legal"]})
        );
        assert_eq!(serde_json::to_value(&save.data_classes).unwrap(), json!(["personal", "payment"]));
        assert_eq!(save.success.as_ref().unwrap().len(), 1);
        let other = element(&graph, "Other");
        assert_eq!(serde_json::to_value(&other.risk).unwrap(), json!({"level": "blocked"}));
        assert_eq!((role(other).as_str(), &other.success), ("button", &None));
        let warnings = graph.metadata.as_ref().unwrap().0.get("warnings").unwrap().as_array().unwrap();
        assert!(warnings.len() >= 4, "{warnings:?}");
        assert!(graph.by_stable_id(&"twin".parse_id()).is_none());
        assert!(text_of(&graph).contains("duplicateStableId"));
        let hidden = snapshot_with(&page, &options(r#"{"includeHidden":true}"#)).await;
        assert!(!has(&hidden, "Ignored"));
    });
}

trait ParseId {
    fn parse_id(&self) -> uiap_model::names::StableId;
}

impl ParseId for str {
    fn parse_id(&self) -> uiap_model::names::StableId {
        uiap_model::names::StableId::parse(self).unwrap()
    }
}

/// Requirement: WEB-NAME-02
#[test]
fn names_are_collapsed_and_cut_between_characters() {
    run(async {
        let long = "\u{1F600}".repeat(400);
        let page =
            page(&format!("<button>a\n\t b</button><button id=l aria-label='x{long}'></button>")).await;
        let graph = snapshot(&page).await;
        element(&graph, "a b");
        let cut = graph
            .elements()
            .find_map(|(_, _, each)| each.name.as_deref().filter(|name| name.starts_with('x')));
        let cut = cut.unwrap();
        assert!(cut.encode_utf16().count() <= 256 && cut.ends_with('\u{1F600}'), "{cut}");
    });
}

/// What an icon font draws is no word: a control is called by what else it has.
///
/// Requirement: WEB-NAME-02
#[test]
fn pictures_of_icon_fonts_are_no_part_of_a_name() {
    run(async {
        let page = page(
            "<style>.i::before { content: '\\f002' } .m::before { content: '\\F0349' }</style>\
             <button title=Search><i class=i></i></button><button><i class=m></i> Save\u{f0d7}all</button><button id=n><i class=i></i></button>",
        )
        .await;
        let graph = snapshot(&page).await;
        element(&graph, "Search");
        element(&graph, "Save all");
        let names = graph.elements().filter_map(|(.., each)| each.name.as_deref());
        assert!(!names.into_iter().any(|name| name.chars().any(|each| each >= '\u{e000}')));
    });
}

/// Requirement: WEB-R8-01
#[test]
fn an_id_stays_with_its_node_and_is_never_given_again() {
    run(async {
        let page = page("<div id=a></div><div id=b><button>One</button></div>").await;
        let before = element(&snapshot(&page).await, "One").instance_id.clone();
        evaluate(&page, "const b = document.querySelector('button'); b.textContent = 'Two'; a.append(b); 0")
            .await;
        assert_eq!(element(&snapshot(&page).await, "Two").instance_id, before);
        assert!(page.backend_node(&before).await.is_ok());
        evaluate(&page, "document.querySelector('button').outerHTML = '<button>Two</button>'").await;
        assert_ne!(element(&snapshot(&page).await, "Two").instance_id, before);
        assert!(page.backend_node(&before).await.is_err());
        page.navigate(&crate::shared::serve("<button>Three</button>").await).await.unwrap();
        let graph = snapshot(&page).await;
        assert_ne!(element(&graph, "Three").instance_id, before);
        assert_eq!(graph.seq.0, 4);
    });
}
