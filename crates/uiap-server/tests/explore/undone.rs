//! What was pressed is taken back by pressing: that is decided and written down too, and what it would write is held back and told.

use axum::routing::get;
use uiap_discovery::record::IncidentKind;
use uiap_model::discovery::review::DiscoveryActionEffect as Effect;

use super::served::{explored, home, page};

/// Two boxes in one page, so that the first is closed again before the second is opened. Closing writes, opening does not.
///
/// Requirement: DISC-13-01
/// Requirement: DISC-2-04
#[tokio::test(flavor = "multi_thread")]
async fn taking_back_is_decided_before_and_what_it_would_write_is_a_finding() {
    let body = "<script>const turn = (it) => { const open = it.getAttribute('aria-expanded') !== 'true'; it.setAttribute('aria-expanded', open);\
                it.nextElementSibling.hidden = !open; if (!open) fetch('/api/write', { method: 'POST' }); }</script>\
                <button type=button aria-expanded=false onclick=\"turn(this)\">Details</button><p hidden><a href=/more>More</a></p>\
                <button type=button aria-expanded=false onclick=\"turn(this)\">Summary</button><p hidden><a href=/less>Less</a></p>";
    let more = || async { page("More", "") };
    let (record, writes) = explored(home(body).route("/more", get(more)).route("/less", get(more))).await;
    assert_eq!(writes, 0, "{:?}", record.incidents);
    let back = record.decisions.iter().filter(|each| each.because.starts_with("it takes back"));
    let names: Vec<_> =
        back.filter_map(|each| Some((each.effect, each.aim.as_ref()?.name.as_str()))).collect();
    for name in ["Details", "Summary"] {
        assert!(names.contains(&(Effect::Allow, name)), "{names:?}");
    }
    let told = record.incidents.iter().find(|each| each.detail.contains("taking back the button"));
    let told = told.unwrap_or_else(|| panic!("{:?}", record.incidents));
    assert_eq!(told.kind, IncidentKind::WriteHeld);
    assert!(told.state_id.is_some(), "{told:?}");
}

/// A dialog that writes when it opens waits for its answer: the state says that it was seen so.
///
/// Requirement: DISC-2-04
#[tokio::test(flavor = "multi_thread")]
async fn a_state_that_was_seen_while_something_was_held_back_says_so() {
    let body = "<button type=button aria-haspopup=dialog onclick=\"d.showModal(); fetch('/api/write', { method: 'POST' })\">Details</button>\
                <button type=button aria-haspopup=dialog onclick=\"e.showModal()\">Summary</button>\
                <dialog id=d aria-label=Details><a href=/more>More</a></dialog><dialog id=e aria-label=Summary><a href=/more>More</a></dialog>";
    let more = || async { page("More", "") };
    let (record, writes) = explored(home(body).route("/more", get(more))).await;
    assert_eq!(writes, 0);
    let package = uiap_discovery::package::derive(&record);
    let held = |name: &str| {
        let nodes = &package.transition_graph.states;
        let node =
            nodes.iter().find(|node| node.modal_stack.iter().flatten().any(|each| each.contains(name)));
        let metadata = node.unwrap_or_else(|| panic!("no state for {name}")).metadata.as_ref().unwrap();
        metadata.0.get("held").cloned()
    };
    assert_eq!(held("details"), Some(true.into()));
    assert_eq!(held("summary"), None);
}
