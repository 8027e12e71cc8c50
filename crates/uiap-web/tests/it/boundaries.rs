//! Frames, shadow roots and pixel surfaces: what can be looked into, and what is said of the rest.

use uiap_model::web::element::ShadowMode;
use uiap_model::web::graph::{BoundaryAccess, OpaqueReason};

use crate::shared::{element, has, json, page, role, run, serve, snapshot};

/// Requirement: WEB-R9-01
/// Requirement: WEB-G-05
#[test]
fn a_foreign_frame_is_one_opaque_document_without_content() {
    run(async {
        let inner = serve("<title>Hidden title</title><button>Pay now</button>").await;
        let foreign = inner.replace("127.0.0.1", "localhost") + "secret-path";
        let page =
            page(&format!("<button>Own</button><iframe title='Payment' src='{foreign}'></iframe>")).await;
        let graph = snapshot(&page).await;
        let document = graph.documents.get(1).unwrap();
        assert_eq!(document.access, BoundaryAccess::Opaque);
        assert_eq!(document.opaque_reason, Some(OpaqueReason::CrossOrigin));
        assert!(document.scopes.is_empty());
        assert_eq!(document.origin.as_deref(), foreign.strip_suffix("/secret-path"));
        let host = element(&graph, "Payment");
        assert!(host.bbox.is_some());
        assert_eq!(document.host_instance_id.as_ref(), Some(&host.instance_id));
        for leak in ["Pay now", "Hidden title", "secret-path"] {
            assert!(!json(&graph).contains(leak), "{leak}");
        }
    });
}

/// Requirement: WEB-G-03
/// Requirement: WEB-G-04
#[test]
fn frames_of_the_same_origin_are_walked_in_document_order() {
    run(async {
        let page = page(
            "<iframe srcdoc='<button>First</button>'></iframe><button>Root</button>
             <iframe srcdoc=\"<button>Second</button><iframe srcdoc='<button>Nested</button>'></iframe>\"></iframe>",
        )
        .await;
        let graph = snapshot(&page).await;
        assert_eq!(graph.documents.len(), 4);
        let names: Vec<_> = graph.elements().filter_map(|(_, _, each)| each.name.as_deref()).collect();
        assert_eq!(names, ["Root", "First", "Second", "Nested"]);
        let nested = graph.documents.last().unwrap();
        assert_eq!(nested.parent_document_id.as_ref(), Some(&graph.documents.get(2).unwrap().document_id));
    });
}

#[test]
fn a_sandboxed_frame_and_a_canvas_say_why_they_are_opaque() {
    run(async {
        let page = page(
            "<iframe title=Box sandbox srcdoc='<button>Inside</button>'></iframe>
             <canvas aria-label=Chart width=100 height=80><button>Fallback</button></canvas>",
        )
        .await;
        let graph = snapshot(&page).await;
        let document = graph.documents.get(1).unwrap();
        assert_eq!(document.opaque_reason, Some(OpaqueReason::Sandboxed));
        let canvas = element(&graph, "Chart");
        assert_eq!(role(canvas), "canvas");
        assert!((canvas.bbox.as_ref().unwrap().width.0 - 100.0).abs() < 0.5);
        assert!(json(&graph).contains("pixel_surface"));
        assert!(!has(&graph, "Inside") && !has(&graph, "Fallback"));
    });
}

/// Requirement: WEB-G-13
#[test]
fn an_open_shadow_root_is_walked_and_a_closed_one_is_not() {
    run(async {
        let page = page(
            "<open-box tabindex=0><span slot=s>Slotted</span></open-box><closed-box></closed-box><script>
             customElements.define('open-box', class extends HTMLElement { connectedCallback() {
                this.attachShadow({mode:'open'}).innerHTML = '<button><slot name=s></slot></button><button>Shadow</button>' } });
             customElements.define('closed-box', class extends HTMLElement { connectedCallback() {
                this.attachShadow({mode:'closed'}).innerHTML = '<button style=width:90px>Sealed</button>' } });
             </script>",
        )
        .await;
        let graph = snapshot(&page).await;
        assert!(has(&graph, "Slotted") && has(&graph, "Shadow"));
        assert!(!json(&graph).contains("Sealed"));
        let accesses: Vec<_> = graph
            .elements()
            .filter_map(|(_, _, each)| each.shadow.as_ref())
            .map(|shadow| (&shadow.mode, &shadow.access))
            .collect();
        let wanted =
            [(&ShadowMode::Open, &BoundaryAccess::Open), (&ShadowMode::Closed, &BoundaryAccess::Opaque)];
        assert_eq!(accesses, wanted);
    });
}
