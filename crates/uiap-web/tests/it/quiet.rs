//! Waiting until a page is quiet, and saying why it is not.

use std::time::{Duration, Instant};

use uiap_cdp::ContextOptions;
use uiap_cdp::protocol::emulation::SetFocusEmulationEnabled;
use uiap_web::network::NetworkWatch;
use uiap_web::quiet::{Patience, Quiet, Unrest, wait_quiet};
use uiap_web::{ObserveOptions, Page};

use crate::shared::{browser, evaluate, open, run};
use crate::signal_site::Site;

const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_secs(2);

async fn quiet(html: &str, script: &str, patience: impl Into<Patience>) -> (Page, Quiet) {
    let site = Site::with(&[("/", &format!("<link rel=icon href=data:,><p id=p>hello</p>{html}"))]).await;
    let page = open(&site.url("/")).await;
    page.session().call(SetFocusEmulationEnabled { enabled: true }).await.unwrap();
    let network = NetworkWatch::start(page.session()).await.unwrap();
    evaluate(&page, &format!("{script}; 1")).await;
    let quiet = wait_quiet(&page, &network, patience).await.unwrap();
    (page, quiet)
}

#[test]
fn a_still_page_is_quiet_within_a_few_frames() {
    run(async {
        let (page, quiet) = quiet("", "", LONG).await;
        assert!(quiet.quiet, "{quiet:?}");
        assert!(quiet.waited < Duration::from_secs(5), "{quiet:?}");
        // Also in a page that nobody looks at.
        page.session().call(SetFocusEmulationEnabled { enabled: false }).await.unwrap();
        let network = NetworkWatch::start(page.session()).await.unwrap();
        assert!(wait_quiet(&page, &network, LONG).await.unwrap().quiet);
    });
}

#[test]
fn a_page_is_not_quiet_before_its_transition_its_timers_and_its_changes_are_over() {
    run(async {
        let script = "p.style.transition = 'opacity 300ms'; p.offsetWidth; p.style.opacity = 0.1;
            p.ontransitionend = () => { let left = 20; const step = () => { p.title = left; if (left-- > 0) setTimeout(step, 8); else p.textContent = 'over' }; step() }";
        let (page, quiet) = quiet("", script, LONG).await;
        assert!(quiet.quiet, "{quiet:?}");
        assert_eq!(evaluate(&page, "p.textContent").await, "over");
    });
}

#[test]
fn a_page_that_changes_all_the_time_is_given_up_early_and_one_that_waits_for_something_is_not() {
    run(async {
        let patience = Patience { limit: LONG, restless: Duration::from_millis(300) };
        let restless = "setInterval(() => { p.textContent = performance.now() }, 10)";
        let (page, seen) = quiet("", restless, patience).await;
        assert!(!seen.quiet && seen.waited < LONG / 2, "{seen:?}");
        // Whoever observes such a page is called all the time, which is no request of the page.
        let mut observation = page.observe(ObserveOptions::default());
        let observing = tokio::spawn(async move { while observation.next().await.is_ok() {} });
        let network = NetworkWatch::start(page.session()).await.unwrap();
        let observed = wait_quiet(&page, &network, patience).await.unwrap();
        assert!(!observed.quiet && observed.waited < LONG / 2, "{observed:?}");
        observing.abort();
        assert!(seen.waited >= patience.restless, "{seen:?}");
        assert!(matches!(seen.unrest[..], [Unrest::Oscillation(_) | Unrest::Mutations(_)]), "{seen:?}");
        // A movement has an end of its own, and so has a request.
        let moving = "const timer = setInterval(() => { p.title = performance.now() }, 10);
            p.style.transition = 'opacity 900ms'; p.offsetWidth; p.style.opacity = 0.1;
            p.ontransitionend = () => { clearInterval(timer); p.textContent = 'over' }";
        let (page, seen) = quiet("", moving, patience).await;
        assert!(seen.quiet, "{seen:?}");
        assert_eq!(evaluate(&page, "p.textContent").await, "over");
        let asking = format!("{restless}; fetch('/hold')");
        let patience = Patience { limit: SHORT, restless: Duration::from_millis(300) };
        let (_page, seen) = quiet("", &asking, patience).await;
        assert!(!seen.quiet && seen.waited >= SHORT, "{seen:?}");
        assert!(matches!(seen.unrest[..], [Unrest::Network(_), ..]), "{seen:?}");
    });
}

#[test]
fn a_page_is_not_quiet_before_the_answer_is_shown() {
    run(async {
        let script = "fetch('/ok').then(answer => answer.text()).then(() => fetch('/status/404')).then(answer => answer.text()).then(() => { p.textContent = 'over' })";
        let (page, quiet) = quiet("", script, LONG).await;
        assert!(quiet.quiet, "{quiet:?}");
        assert_eq!(evaluate(&page, "p.textContent").await, "over");
    });
}

#[test]
fn an_animation_without_an_end_disturbs_nobody() {
    run(async {
        let (_, quiet) = quiet(
            "<style>@keyframes turn { to { rotate: 1turn } } p { animation: turn 1s infinite }</style>",
            "",
            LONG,
        )
        .await;
        assert!(quiet.quiet, "{quiet:?}");
    });
}

#[test]
fn what_never_rests_is_said_at_the_limit() {
    run(async {
        let started = Instant::now();
        let swing = "setInterval(() => { p.hidden = !p.hidden }, 20)";
        let grow = "setInterval(() => { document.body.append(new Text('x')) }, 15)";
        let long = "p.animate({ opacity: [0, 1] }, 60000)";
        let hold = "void fetch('/hold')";
        let (swing, grow, long, hold) = tokio::join!(
            quiet("", swing, SHORT),
            quiet("", grow, SHORT),
            quiet("", long, SHORT),
            quiet("", hold, SHORT)
        );
        for (_, quiet) in [&swing, &grow, &long, &hold] {
            assert!(!quiet.quiet && quiet.waited >= SHORT, "{quiet:?}");
        }
        assert!(matches!(swing.1.unrest.as_slice(), [Unrest::Oscillation(_), ..]), "{:?}", swing.1);
        assert!(matches!(grow.1.unrest.as_slice(), [Unrest::Mutations(_), ..]), "{:?}", grow.1);
        assert!(matches!(long.1.unrest.as_slice(), [Unrest::Animations(1), ..]), "{:?}", long.1);
        assert!(
            matches!(hold.1.unrest.as_slice(), [Unrest::Network(urls), ..] if urls.len() == 1),
            "{:?}",
            hold.1
        );
        assert!(started.elapsed() < Duration::from_secs(15));
    });
}

#[test]
fn a_page_that_does_nothing_but_compute_is_unresponsive() {
    run(async {
        // In a context of its own, and so in a process of its own.
        let context = browser().await.new_context(ContextOptions::default()).await.unwrap();
        let page = Page::attach(context.new_page("about:blank").await.unwrap()).await.unwrap();
        let network = NetworkWatch::start(page.session()).await.unwrap();
        evaluate(&page, "setTimeout(() => { const end = performance.now() + 3000; while (performance.now() < end); }, 0); 1").await;
        let quiet = wait_quiet(&page, &network, Duration::from_millis(700)).await.unwrap();
        assert_eq!((quiet.quiet, quiet.unrest), (false, vec![Unrest::Unresponsive]));
    });
}

#[test]
fn a_navigation_in_the_middle_is_waited_for() {
    run(async {
        let (page, quiet) = quiet("", "setTimeout(() => { location.href = '/ok' }, 0)", LONG).await;
        assert!(quiet.quiet, "{quiet:?}");
        assert_eq!(evaluate(&page, "location.pathname").await, "/ok");
    });
}
