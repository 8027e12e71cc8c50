//! What holds whatever the page and whoever the people: resolution, identity, grants.

use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::{Value, json};
use uiap_model::action::request::ActionTarget;
use uiap_model::names::{ActionId, ElementInstanceId, SessionId};
use uiap_model::policy::vocabulary::PrincipalType;
use uiap_model::policy::{PolicyDecision, PolicyPrincipal};
use uiap_model::web::PageGraph;
use uiap_policy::confirmation::{ConfirmationBinding, Grant, Party, PendingConfirmation};
use uiap_runtime::resolve::{Identity, resolve};

use crate::graph::{below, element, graph, scope};
use crate::scripted::{Session, agent, user};

const NAMES: [&str; 4] = ["Save", "Save draft", "Delete", "Open"];
const ROLES: [&str; 3] = ["button", "link", "checkbox"];

/// Rows with controls in them; the number of a control is what the app means by it.
fn page(rows: &[(usize, Vec<(usize, usize)>)]) -> PageGraph {
    let mut elements = Vec::new();
    for (at, (name, controls)) in rows.iter().enumerate() {
        elements.push(element(&format!("r{at}"), "row", &format!("Row {name}")));
        for (number, (role, name)) in controls.iter().enumerate() {
            let control = element(&format!("r{at}c{number}"), ROLES[role % 3], NAMES[name % 4]);
            elements.push(below(&format!("r{at}"), control));
        }
    }
    graph(vec![scope("main", "region", "Main", elements)])
}

fn rows() -> impl Strategy<Value = Vec<(usize, Vec<(usize, usize)>)>> {
    prop::collection::vec((0..4_usize, prop::collection::vec((0..3_usize, 0..4_usize), 0..3)), 1..5)
}

fn find(graph: &PageGraph, target: Value, seen: Option<&PageGraph>) -> Result<String, String> {
    let target: ActionTarget = serde_json::from_value(target).unwrap();
    let action = ActionId::parse("ui.activate").unwrap();
    let past = |id: &ElementInstanceId| seen.and_then(|seen| Identity::of(seen, id));
    let found = resolve(graph, &action, &target, None, past);
    found.map(|found| found.chosen.target.instance_id.to_string()).map_err(|error| error.code.to_string())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Requirement: ACT-3-03
    #[test]
    fn the_order_of_elements_does_not_matter(rows in rows(), role in 0..3_usize, name in 0..4_usize, seed in any::<u64>()) {
        let page = page(&rows);
        let mut shuffled = page.clone();
        let elements = &mut shuffled.documents[0].scopes[0].elements;
        for at in (1..elements.len()).rev() {
            let other = usize::try_from(seed.wrapping_mul(at as u64 + 1).wrapping_add(seed >> 7) % (at as u64 + 1)).unwrap();
            elements.swap(at, other);
        }
        let target = json!({ "ref": { "by": "semantic", "role": ROLES[role], "name": NAMES[name] } });
        prop_assert_eq!(find(&page, target.clone(), None), find(&shuffled, target, None));
    }

    /// Requirement: ACT-8.3-01
    #[test]
    fn what_was_seen_is_found_again_or_refused_and_never_confused(
        rows in rows(),
        pick in any::<prop::sample::Index>(),
        changes in prop::collection::vec((0..6_u8, any::<prop::sample::Index>(), 0..4_usize), 0..6),
    ) {
        let before = page(&rows);
        let ids: Vec<String> = before.elements().filter(|(.., each)| each.role.as_str() != "row").map(|(.., each)| each.instance_id.to_string()).collect();
        prop_assume!(!ids.is_empty());
        let meant = pick.get(&ids).clone();
        let mut after = before.clone();
        for (turn, (kind, which, name)) in changes.iter().enumerate() {
            mutate(&mut after, turn, *kind, *which, *name);
        }
        let target = json!({ "ref": { "by": "instanceId", "value": meant } });
        match find(&after, target, Some(&before)) {
            Ok(found) => {
                let was = meaning(&before, &meant);
                prop_assert_eq!(meaning(&after, &found), was.clone(), "{} is not what {} was", found, meant);
                let equals = |graph: &PageGraph| graph.elements().filter(|(.., each)| meaning(graph, each.instance_id.as_str()) == was).count();
                // One of several that look the same is never taken for another one.
                prop_assert!(found == meant || (equals(&before) == 1 && equals(&after) == 1), "{} of {}", found, meant);
            }
            Err(code) => prop_assert!(code == "stale_target" || code == "target_not_found" || code == "target_ambiguous", "{}", code),
        }
    }
}

/// What an element is to a person: what, called what, in which row.
fn meaning(graph: &PageGraph, id: &str) -> Option<(String, Option<String>, Option<String>)> {
    let find = |id: &str| graph.elements().map(|(.., each)| each).find(|each| each.instance_id == *id);
    let node = find(id)?;
    let row = node.parent_instance_id.as_ref().and_then(|row| find(row.as_str()));
    let name = |node: &uiap_model::web::ElementNode| node.name.as_ref().map(ToString::to_string);
    Some((node.role.to_string(), name(node), row.and_then(name)))
}

/// What pages do between a look and an act.
fn mutate(graph: &mut PageGraph, turn: usize, kind: u8, which: prop::sample::Index, name: usize) {
    let elements = &mut graph.documents[0].scopes[0].elements;
    if elements.is_empty() {
        return;
    }
    let at = which.index(elements.len());
    let id = elements[at].instance_id.to_string();
    let fresh = format!("n{turn}");
    let parsed = |id: &str| ElementInstanceId::parse(id).unwrap();
    match kind {
        // Something new of a name that others have too, in a row of its own.
        0 => {
            let row = element(&format!("row_{fresh}"), "row", &format!("New row {turn}"));
            let node = below(&format!("row_{fresh}"), element(&fresh, "button", NAMES[name]));
            for node in [row, node] {
                elements.push(std::sync::Arc::new(serde_json::from_value(node).unwrap()));
            }
        }
        // Gone, with what lies in it.
        1 => elements.retain(|each| {
            each.instance_id != *id && each.parent_instance_id.as_ref().is_none_or(|parent| *parent != *id)
        }),
        // The node is used for something else, of another name.
        2 => {
            let mut node = (*elements[at]).clone();
            node.name = Some(NAMES[name].into());
            elements[at] = std::sync::Arc::new(node);
        }
        // Rendered anew: another node, the same thing.
        3 => {
            let mut node = (*elements[at]).clone();
            node.instance_id = parsed(&fresh);
            for each in elements
                .iter_mut()
                .filter(|each| each.parent_instance_id.as_ref().is_some_and(|parent| *parent == *id))
            {
                let mut child = (**each).clone();
                child.parent_instance_id = Some(parsed(&fresh));
                *each = std::sync::Arc::new(child);
            }
            elements[at] = std::sync::Arc::new(node);
        }
        // Elsewhere in the list.
        4 => {
            let node = elements.remove(at);
            elements.insert(name.min(elements.len()), node);
        }
        // A state that says nothing about who it is.
        _ => {
            let mut node = (*elements[at]).clone();
            node.description = Some(format!("turn {turn}").into());
            elements[at] = std::sync::Arc::new(node);
        }
    }
}

fn party(kind: PrincipalType, id: &str) -> Party {
    Party {
        principal: PolicyPrincipal { principal_type: kind, id: id.into(), roles: None, grants: None },
        connection: format!("line of {id}").into(),
    }
}

fn binding(action: usize, version: usize) -> ConfirmationBinding {
    ConfirmationBinding {
        session_id: SessionId::parse("ses_1").unwrap(),
        action_handle: uiap_model::names::ActionHandle::parse(&format!("act_{action}")).unwrap(),
        decision_id: "dec".into(),
        action_id: ActionId::parse("ui.activate").unwrap(),
        target: None,
        args: Some(serde_json::from_value(json!({ "version": version })).unwrap()),
        risk: serde_json::from_value(json!({ "level": "confirm" })).unwrap(),
        origin: None,
        revision: uiap_model::names::RevisionId::parse("rev_1").unwrap(),
        nonce: format!("nonce {action}").into(),
    }
}

/// A generator whose sequence is the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides).unwrap()
    }
}

/// Three actions wait for a person. Two principals answer, somebody cancels, time passes, the page changes, old grants are shown
/// again: nothing runs without a grant of a person, for this action, in time, for what was shown, and never twice.
///
/// Requirement: ACT-SEC-04
/// Requirement: ACT-SEC-05
/// Requirement: ACT-5.4-02
#[test]
fn no_interleaving_runs_an_action_without_a_valid_grant() {
    let decision: PolicyDecision = serde_json::from_value(json!({
        "decisionId": "dec", "effect": "confirm", "reasons": [], "matchedRules": [],
        "obligations": [{ "type": "confirm", "expiresMs": 50 }]
    }))
    .unwrap();
    let (agent, person) = (party(PrincipalType::Agent, "agent"), party(PrincipalType::User, "ada"));
    let shown: Vec<ConfirmationBinding> = (0..3).map(|action| binding(action, 0)).collect();
    let drifted: Vec<ConfirmationBinding> = (0..3).map(|action| binding(action, 1)).collect();
    let fresh: Vec<PendingConfirmation> = shown
        .iter()
        .map(|binding| PendingConfirmation::open(binding, &decision, agent.clone(), 0).unwrap())
        .collect();
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let (mut ran, mut refused) = (0_u32, 0_u32);
    for _ in 0..100_000 {
        let mut pending: Vec<Option<PendingConfirmation>> = fresh.iter().cloned().map(Some).collect();
        let mut grants: Vec<Option<Grant>> = vec![None, None, None];
        let mut valid: HashSet<usize> = HashSet::new();
        let mut changed: HashSet<usize> = HashSet::new();
        let mut executed: HashSet<usize> = HashSet::new();
        let mut now = 0;
        for _ in 0..8 {
            let action = dice.roll(3);
            match dice.roll(7) {
                0 | 1 => {
                    let by = if dice.roll(2) == 0 { &person } else { &agent };
                    let answer =
                        pending[action].as_mut().map(|pending| pending.grant(by, dice.0 & 1 == 0, now));
                    if let Some(Ok(grant)) = answer {
                        assert_eq!(by, &person, "the asker granted");
                        assert!(now < 50);
                        valid.insert(action);
                        grants[action] = Some(grant);
                    }
                }
                2 => {
                    if let Some(pending) = pending[action].as_mut()
                        && pending.deny(&person, false, now).is_ok()
                    {
                        assert!(!valid.contains(&action), "answered twice");
                    }
                }
                3 => pending[action] = None,
                4 => now += 20,
                5 => {
                    changed.insert(action);
                }
                // Somebody tries to run one action with whatever grant there is of another or of its own.
                _ => {
                    let of = dice.roll(3);
                    let about = if changed.contains(&action) { &drifted[action] } else { &shown[action] };
                    if let Some(grant) = grants[of].take() {
                        if grant.redeem(about, now).is_ok() {
                            assert_eq!(of, action, "a grant of another action was taken");
                            assert!(valid.contains(&action) && !changed.contains(&action) && now < 50);
                            assert!(executed.insert(action), "it ran twice");
                            ran += 1;
                        } else {
                            refused += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(ran > 1_000 && refused > 1_000, "the dice must reach both: {ran} ran, {refused} were refused");
}

/// The same through the whole runtime: whatever is answered, cancelled or let pass, an effect has a person's grant behind it.
///
/// Requirement: ACT-SEC-04
/// Requirement: ACT-SEC-05
/// Requirement: ACT-5.4-02
#[tokio::test(start_paused = true)]
async fn no_interleaving_of_answers_gives_an_effect_without_a_grant() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (mut granted, mut effects) = (0, 0);
    for _ in 0..300 {
        let ids = ["a", "b", "c"];
        let risky = |id: &str| {
            crate::graph::with(element(id, "button", id), json!({ "risk": { "level": "confirm" } }))
        };
        let session = Session::on(ids.map(risky).to_vec()).await;
        for id in ids {
            session.page.on("click", id, move |page| {
                page.effect(id);
                page.toast(id);
            });
        }
        let mut running = Vec::new();
        for id in ids {
            let mut one = session.request(super::activate(id)).await.unwrap();
            session.asked(&mut one).await;
            running.push(one);
        }
        let mut valid: HashSet<usize> = HashSet::new();
        for _ in 0..6 {
            let which = dice.roll(3);
            let handle = running[which].accepted.action_handle.clone();
            match dice.roll(6) {
                0 | 1 => {
                    let by = if dice.roll(2) == 0 { user() } else { agent() };
                    if session.runtime.grant(&by, dice.roll(2) == 0, &handle).is_ok() {
                        assert_eq!(by, user());
                        assert!(valid.insert(which), "granted twice");
                    }
                }
                2 => drop(session.runtime.deny(&user(), false, &handle, None)),
                3 => drop(session.runtime.cancel(&handle, None)),
                4 => tokio::time::advance(std::time::Duration::from_secs(50)).await,
                _ => session.page.set(ids[which], json!({ "name": format!("other {which}") })),
            }
            tokio::task::yield_now().await;
        }
        for one in running {
            session.end(one, tokio::time::Instant::now()).await;
        }
        for (at, id) in ids.iter().enumerate() {
            let count = session.page.effects(id);
            assert!(count <= u32::from(valid.contains(&at)), "`{id}` ran {count} times");
            effects += count;
        }
        granted += valid.len();
    }
    assert!(granted > 100 && effects > 50, "the dice must reach both: {granted} grants, {effects} effects");
}
