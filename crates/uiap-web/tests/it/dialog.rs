//! JavaScript dialogs: answered by policy, reported, and never in the way.

use std::time::Duration;

use serde_json::json;
use tokio::time::timeout;
use uiap_cdp::ContextOptions;
use uiap_cdp::protocol::ProtocolEvent as _;
use uiap_cdp::protocol::page::{DialogType, FrameNavigated};
use uiap_web::Page;
use uiap_web::dialog::{Answer, DialogOutcome, DialogPolicy, DialogReport, Dialogs};

use crate::shared::{blank, browser, evaluate, options, page, run, serve, snapshot};

fn answered(kind: DialogType, message: &str, proposal: Option<&str>, answer: Answer) -> DialogReport {
    let (message, proposal) = (message.to_owned(), proposal.map(str::to_owned));
    DialogReport { kind, message, proposal, frame: None, done: DialogOutcome::Answered(answer) }
}

#[test]
fn every_kind_of_dialog_is_answered_by_policy_and_reported() {
    run(async {
        let page = page("<p>hello").await;
        let dialogs = Dialogs::attend(page.session(), DialogPolicy::default()).await.unwrap();
        let mut reports = dialogs.reports();
        let given = evaluate(&page, "[alert('a') === undefined, confirm('b'), prompt('c', 'd')]").await;
        assert_eq!(given, json!([true, false, null]));
        dialogs.answer_next(Answer::Accept);
        dialogs.answer_next(Answer::AcceptWith("mine".into()));
        assert_eq!(evaluate(&page, "[confirm('e'), prompt('f')]").await, json!([true, "mine"]));
        let wanted = [
            answered(DialogType::Alert, "a", None, Answer::Accept),
            answered(DialogType::Confirm, "b", None, Answer::Dismiss),
            answered(DialogType::Prompt, "c", Some("d"), Answer::Dismiss),
            answered(DialogType::Confirm, "e", None, Answer::Accept),
            answered(DialogType::Prompt, "f", None, Answer::AcceptWith("mine".into())),
        ];
        for wanted in wanted {
            let report = reports.recv().await.unwrap();
            assert_eq!(DialogReport { frame: None, ..report }, wanted);
        }
    });
}

#[test]
fn a_snapshot_does_not_wait_for_a_dialog() {
    run(async {
        let page = page("<button>Here</button>").await;
        let _dialogs = Dialogs::attend(page.session(), DialogPolicy::default()).await.unwrap();
        evaluate(&page, "setTimeout(() => alert('stop'), 0); 1").await;
        let graph = timeout(Duration::from_secs(5), snapshot(&page))
            .await
            .expect("a snapshot while an alert is shown");
        assert_eq!(graph.elements().count(), 1);
    });
}

#[test]
fn a_page_that_greets_with_an_alert_loads() {
    run(async {
        let url = serve("<script>alert('Welcome'); confirm('Sure?')</script><button>Here</button>").await;
        let session = blank().await;
        let _dialogs = Dialogs::attend(&session, DialogPolicy::default()).await.unwrap();
        let page = Page::attach(session).await.unwrap();
        page.navigate(&url).await.unwrap();
        assert_eq!(snapshot(&page).await.elements().count(), 1);
        // Where nobody answers, that is said.
        let bare = Page::attach(blank().await).await.unwrap();
        let error = timeout(Duration::from_secs(20), bare.navigate(&url))
            .await
            .expect("it is said soon")
            .unwrap_err();
        assert_eq!(error.to_string(), "a dialog of the page is open: `Welcome`");
    });
}

#[test]
fn many_dialogs_are_answered_and_told_as_one_storm() {
    run(async {
        let page = page("<button>Here</button>").await;
        let policy = DialogPolicy { most: 3, ..DialogPolicy::default() };
        let dialogs = Dialogs::attend(page.session(), policy).await.unwrap();
        let mut reports = dialogs.reports();
        evaluate(&page, "for (let i = 0; i < 12; i++) alert(i); 1").await;
        for count in 0..3 {
            let report = reports.recv().await.unwrap();
            let wanted = answered(DialogType::Alert, &count.to_string(), None, Answer::Accept);
            assert_eq!(DialogReport { frame: None, ..report }, wanted);
        }
        assert_eq!(reports.recv().await.unwrap().done, DialogOutcome::Suppressed);
        assert_eq!(snapshot(&page).await.elements().count(), 1);
        assert!(reports.try_recv().is_err(), "one storm, one report");
    });
}

#[test]
fn an_endless_loop_of_alerts_ends_with_its_renderer() {
    run(async {
        // A context of its own has a renderer of its own.
        let context = browser().await.new_context(ContextOptions::default()).await.unwrap();
        let page = Page::attach(context.new_page("about:blank").await.unwrap()).await.unwrap();
        let url = serve("<button>Here</button>").await;
        page.navigate(&url).await.unwrap();
        let policy = DialogPolicy { most: 3, breath: Duration::from_millis(500), ..DialogPolicy::default() };
        let dialogs = Dialogs::attend(page.session(), policy).await.unwrap();
        let mut reports = dialogs.reports();
        evaluate(&page, "setTimeout(() => { for (let i = 0; ; i++) alert(i) }, 0); 1").await;
        // The loop begins with a task of its own; until then the page can be looked at.
        let mut last = reports.recv().await.unwrap().done;
        let looking = timeout(Duration::from_secs(10), page.snapshot(&options("{}"))).await;
        looking.expect("a look at such a page ends").unwrap_err();
        while last != DialogOutcome::Stopped {
            last = reports.recv().await.unwrap().done;
        }
        let looking = timeout(Duration::from_secs(2), page.snapshot(&options("{}"))).await;
        looking.expect("a look at a dead page ends at once").unwrap_err();
        page.navigate(&url).await.unwrap();
        assert_eq!(snapshot(&page).await.elements().count(), 1, "the page can be used again");
    });
}

#[test]
fn a_page_that_asks_whether_to_be_left_is_left() {
    run(async {
        let page = page("<script>addEventListener('beforeunload', event => event.preventDefault())</script><button>Here</button>").await;
        let dialogs = Dialogs::attend(page.session(), DialogPolicy::default()).await.unwrap();
        let mut reports = dialogs.reports();
        let mut events = page.session().events_of(&[FrameNavigated::NAME]);
        // A page that nobody touched may not ask.
        let touch = uiap_cdp::protocol::runtime::Evaluate {
            expression: "document.querySelector('button').click()",
            user_gesture: true,
            ..Default::default()
        };
        page.session().call(touch).await.unwrap();
        let next = serve("<p>next").await;
        evaluate(&page, &format!("location.href = '{next}'; 1")).await;
        let report = timeout(Duration::from_secs(10), reports.recv()).await.expect("the page asks").unwrap();
        assert_eq!(
            (report.kind, report.done),
            (DialogType::Beforeunload, DialogOutcome::Answered(Answer::Accept))
        );
        timeout(Duration::from_secs(10), events.next()).await.expect("the page was left");
    });
}
