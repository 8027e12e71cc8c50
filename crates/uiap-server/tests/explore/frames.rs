//! Frames: those of the app are explored with the page, and one that does not load is told.

use axum::http::{StatusCode, header};
use axum::routing::get;
use serde_json::Value;
use uiap_discovery::audit::audit;
use uiap_discovery::record::IncidentKind;

use super::harness::assert_told;
use super::served::{explored, home, page};

/// Requirement: DISC-12.1-01
#[tokio::test(flavor = "multi_thread")]
async fn a_frame_of_the_app_is_explored_and_its_controls_name_their_document() {
    let inner = "<button type=button aria-expanded=false onclick=\"more.hidden = false\">More tools</button>\
                 <div id=more role=dialog aria-label=Tools hidden><button type=button>Close</button></div>";
    let body = "<button type=button aria-expanded=false>Own tools</button><iframe title=Side src='/side?v=1'></iframe>";
    let routes = home(body).route("/side", get(move || async move { page("Side", inner) }));
    let (record, _) = explored(routes).await;
    let derived = uiap_discovery::package::derive(&record);
    assert_eq!(audit(&derived), []);
    let package = serde_json::to_value(&derived).unwrap();
    let documents = |name: &str| {
        let mut all = package["elementCatalog"]["elements"].as_array().unwrap().iter();
        let found = all.find(|element| element["names"][0] == name).unwrap();
        found["metadata"]["documents"].as_array().map(|all| all.iter().filter_map(Value::as_str).collect())
    };
    let side: Vec<&str> = documents("More tools").unwrap();
    assert!(matches!(side[..], [address] if address.ends_with("/side")), "{side:?}");
    assert_eq!(documents("Own tools"), None::<Vec<&str>>, "it stands in the page itself");
    let pressed = record.transitions.iter().find(|each| {
        each.aim.as_ref().is_some_and(|aim| aim.name == "More tools") && each.to.as_ref() != Some(&each.from)
    });
    assert!(
        pressed.is_some(),
        "what is in the frame can be used, and opens something: {:?}",
        record.transitions
    );
    assert_eq!(record.incidents, []);
}

/// Requirement: DISC-12.1-01
#[tokio::test(flavor = "multi_thread")]
async fn a_frame_that_does_not_load_is_told_and_the_page_is_not_blamed() {
    let body = "<button type=button aria-expanded=false>Details</button><iframe src=/broken></iframe>\
                <iframe src=/missing></iframe><iframe src=/unframed></iframe><iframe src=/fine></iframe>";
    let unframed = || async { ([(header::X_FRAME_OPTIONS, "DENY")], page("Unframed", "")) };
    let routes = home(body)
        .route("/broken", get(|| async { (StatusCode::INTERNAL_SERVER_ERROR, page("Sorry", "")) }))
        .route("/unframed", get(unframed))
        .route("/fine", get(|| async { page("Fine", "") }));
    let (record, _) = explored(routes).await;
    assert_told(&record, &[IncidentKind::Unreachable, IncidentKind::ServerError]);
    let mut told: Vec<&str> = record.incidents.iter().map(|incident| incident.detail.as_str()).collect();
    told.sort_unstable();
    let begins = ["the frame `/broken` did", "the frame `/missing` did", "the frame `/unframed` did"];
    assert_eq!(told.len(), begins.len(), "{told:?}");
    assert!(told.iter().zip(begins).all(|(told, begins)| told.starts_with(begins)), "{told:?}");
    let routes = home("<iframe src=/broken></iframe>")
        .route("/broken", get(|| async { (StatusCode::INTERNAL_SERVER_ERROR, page("Sorry", "")) }));
    let (record, _) = explored(routes).await;
    assert_eq!(record.incidents.len(), 1, "the page itself was answered well: {:?}", record.incidents);
}
