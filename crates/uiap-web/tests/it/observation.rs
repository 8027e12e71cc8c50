//! What an observer of a page is told.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::time::timeout;
use uiap_model::capability::UIRole;
use uiap_model::document::{kind, validate};
use uiap_model::web::PageGraph;
use uiap_model::web::delta::{self, DeltaError};
use uiap_model::web::message::WebStateDeltaPayload;
use uiap_web::{FreshReason, Observation, ObserveOptions, Page, PageEventKind, Revision, RouteChange};

use crate::shared::{element, evaluate, has, named, page, run, serve, state};
use crate::signal_site::Site;

/// Enough elements around that a change of a few is not a change of most.
fn filled(html: &str) -> String {
    let links = (0..60).map(|n| format!("<a href=#{n}>Link {n}</a> ")).collect::<String>();
    format!(
        "<!doctype html><title>T</title><body>{html}<footer aria-label=Rest role=contentinfo>{links}</footer>"
    )
}

async fn observed(html: &str) -> (Page, Observation) {
    let page = page(&filled(html)).await;
    let mut observation = page.observe(ObserveOptions::default());
    let first = observation.next().await.unwrap();
    assert!(
        matches!(first, Revision::Snapshot(fresh) if fresh.reason == FreshReason::First && fresh.before.is_none())
    );
    (page, observation)
}

/// Changes the page and returns the delta that tells of it.
async fn change(page: &Page, observation: &mut Observation, script: &str) -> WebStateDeltaPayload {
    evaluate(page, script).await;
    loop {
        let next = timeout(Duration::from_secs(20), observation.next()).await.expect("no revision came");
        match next.unwrap() {
            Revision::Change(change) if change.delta.ops.is_empty() => {}
            Revision::Change(change) => return valid(change.delta),
            Revision::Snapshot(fresh) => panic!("a snapshot instead of a delta: {:?}", fresh.reason),
        }
    }
}

fn valid(delta: WebStateDeltaPayload) -> WebStateDeltaPayload {
    let value = serde_json::to_value(&delta).unwrap();
    let problems = validate(&value, kind("WebStateDelta").unwrap());
    assert!(problems.is_empty(), "{problems:#?}");
    delta
}

fn names_of(delta: &WebStateDeltaPayload) -> BTreeSet<String> {
    let ops = serde_json::to_value(&delta.ops).unwrap();
    ops.as_array().unwrap().iter().map(|op| op.get("op").unwrap().as_str().unwrap().to_owned()).collect()
}

fn graph(observation: &Observation) -> &PageGraph {
    observation.graph().unwrap()
}

/// Requirement: WEB-OP-01
/// Requirement: WEB-OP-02
/// Requirement: WEB-OP-03
/// Requirement: WEB-OP-04
/// Requirement: WEB-OP-05
/// Requirement: WEB-OP-06
/// Requirement: WEB-OP-07
/// Requirement: WEB-OP-08
/// Requirement: WEB-OP-09
/// Requirement: WEB-OP-10
/// Requirement: WEB-OP-11
/// Requirement: WEB-MSG-07
#[test]
fn every_operation_is_provoked_by_the_change_that_it_tells() {
    const CASES: &[(&str, &str)] = &[
        ("history.pushState(null, '', '?next')", "route.set"),
        ("field.focus()", "focus.set"),
        ("dialog.showModal(), dialog.close(), fake.hidden = false", "modalStack.set"),
        ("fake.hidden = true", "modalStack.set"),
        (
            "late.append(Object.assign(document.createElement('iframe'), {title: 'F', srcdoc: '<button>In frame</button>'}))",
            "document.upsert",
        ),
        ("document.querySelector('iframe').remove()", "document.remove"),
        ("late.innerHTML = '<section aria-label=Area><button>In area</button></section>'", "scope.upsert"),
        ("document.querySelector('section').remove()", "scope.remove"),
        ("late.innerHTML = '<button id=new>New</button>'", "element.upsert"),
        ("document.getElementById('new').textContent = 'Newer'", "element.patch"),
        ("document.getElementById('new').remove()", "element.remove"),
    ];
    run(async {
        let (page, mut observation) = observed(
            "<input id=field aria-label=Field><div id=late></div><dialog id=dialog>x</dialog>
             <div id=fake role=dialog aria-modal=true aria-label=Fake hidden><button>In fake</button></div>",
        )
        .await;
        let mut seen = BTreeSet::new();
        for (script, wanted) in CASES {
            // A modal blocks whatever is under it, which is more than half of the page.
            evaluate(&page, &format!("{script}, 0")).await;
            let mut names = BTreeSet::new();
            while !names.contains(*wanted) {
                let next = timeout(Duration::from_secs(20), observation.next()).await;
                match next.unwrap_or_else(|_| panic!("{script}: only {names:?}")).unwrap() {
                    Revision::Change(change) => names.extend(names_of(&valid(change.delta))),
                    Revision::Snapshot(fresh) => {
                        assert_eq!((fresh.reason, *wanted), (FreshReason::MostChanged, "modalStack.set"));
                        assert_ne!(fresh.before.unwrap().modal_stack, graph(&observation).modal_stack);
                        names.insert((*wanted).to_owned());
                    }
                }
            }
            seen.extend(names);
        }
        assert!(seen.len() >= 10, "{seen:?}");
    });
}

/// Requirement: WEB-G-02
/// Requirement: WEB-P-06
/// Requirement: WEB-T-01
/// Requirement: WEB-R1-01
/// Requirement: WEB-R1-02
#[test]
fn revisions_follow_one_another_without_a_gap_and_another_base_is_refused() {
    run(async {
        let (page, mut observation) = observed("<p role=status id=s>0</p>").await;
        let first = graph(&observation).clone();
        let (mut revisions, mut seq) = (BTreeSet::from([first.revision.clone()]), first.seq.0);
        let mut deltas = Vec::new();
        for n in 1..=50 {
            let delta = change(&page, &mut observation, &format!("s.textContent = {n}")).await;
            assert_eq!(delta.seq.0, seq + 1);
            assert!(revisions.contains(&delta.base_revision));
            assert!(revisions.insert(delta.revision.clone()), "a revision came twice");
            seq += 1;
            deltas.push(delta);
        }
        let second = deltas.get(1).unwrap();
        assert!(matches!(delta::apply(&first, second), Err(DeltaError::WrongBase { .. })));
        let replayed = deltas.iter().fold(first, |graph, each| delta::apply(&graph, each).unwrap());
        assert_eq!(&replayed, graph(&observation));
    });
}

/// Requirement: WEB-R3-01
#[test]
fn changes_of_one_task_are_one_delta_and_the_least_interval_is_kept() {
    run(async {
        let (page, mut observation) = observed("<p role=status id=s>0</p>").await;
        let delta =
            change(&page, &mut observation, "for (let i = 0; i < 100; i++) s.textContent = 'n' + i; 0").await;
        assert_eq!(delta.ops.len(), 1);
        assert_eq!(state(named_status(graph(&observation)), "textValue"), "n99");
        assert!(observation.sync().await.unwrap().is_none());
        drop(observation);

        let slow = ObserveOptions { min_interval: Duration::from_millis(300), ..ObserveOptions::default() };
        let mut observation = page.observe(slow);
        observation.next().await.unwrap();
        evaluate(&page, "let n = 0; globalThis.timer = setInterval(() => { s.textContent = 'm' + ++n; if (n === 40) clearInterval(timer) }, 20)").await;
        let (start, mut count) = (Instant::now(), 0_u32);
        while state(named_status(graph(&observation)), "textValue") != "m40" {
            timeout(Duration::from_secs(20), observation.next())
                .await
                .expect("the last state is lost")
                .unwrap();
            count += 1;
        }
        let most = start.elapsed().as_millis() / 300 + 2;
        assert!(u128::from(count) <= most, "{count} revisions in {:?}", start.elapsed());
    });
}

fn named_status(graph: &PageGraph) -> &uiap_model::web::ElementNode {
    graph.elements().map(|(_, _, each)| each).find(|each| crate::shared::role(each) == "status").unwrap()
}

/// Requirement: WEB-R2-01
#[test]
fn a_snapshot_comes_at_first_after_a_navigation_and_when_most_changed() {
    run(async {
        let (page, mut observation) = observed("<p role=status id=s>0</p>").await;
        evaluate(&page, "document.body.innerHTML = '<button>Only</button>'; 0").await;
        match observation.next().await.unwrap() {
            Revision::Snapshot(fresh) => {
                assert_eq!(fresh.reason, FreshReason::MostChanged);
                assert!(has(&fresh.before.unwrap(), "Link 1"));
            }
            Revision::Change(change) => panic!("{:?}", change.delta.ops),
        }
        assert!(has(graph(&observation), "Only"));
        let ids = named(graph(&observation), "Only").first().unwrap().instance_id.clone();
        let next = serve("<button>Elsewhere</button>").await;
        evaluate(&page, &format!("location.href = '{next}'; 0")).await;
        loop {
            if let Revision::Snapshot(fresh) = observation.next().await.unwrap() {
                assert_eq!(fresh.reason, FreshReason::Navigated);
                if has(graph(&observation), "Elsewhere") {
                    break;
                }
            } else if has(graph(&observation), "Elsewhere") {
                break;
            }
        }
        assert_ne!(element(graph(&observation), "Elsewhere").instance_id, ids);
    });
}

/// Requirement: WEB-R8-01
/// Requirement: WEB-OP-09
#[test]
fn an_element_keeps_its_id_while_it_is_attached_and_stands_where_the_page_shows_it() {
    run(async {
        let (page, mut observation) = observed(
            "<div id=box><button id=a>A</button><button id=b>B</button><button id=c>C</button></div>",
        )
        .await;
        let id =
            |observation: &Observation, name: &str| element(graph(observation), name).instance_id.clone();
        let order = |observation: &Observation| {
            let all = graph(observation).elements().filter_map(|(_, _, each)| each.name.as_deref());
            all.filter(|name| name.len() <= 2).collect::<Vec<_>>().join(" ")
        };
        let a = id(&observation, "A");
        change(&page, &mut observation, "box.append(a); 0").await;
        assert_eq!((order(&observation).as_str(), id(&observation, "A")), ("B C A", a.clone()));
        change(&page, &mut observation, "box.prepend(c); 0").await;
        assert_eq!(order(&observation), "C B A");
        change(&page, &mut observation, "b.insertAdjacentHTML('beforebegin', '<button>N</button>'); 0").await;
        assert_eq!(order(&observation), "C N B A");
        change(&page, &mut observation, "a.textContent = 'A2'; a.className = 'x'; 0").await;
        assert_eq!(id(&observation, "A2"), a);
        change(&page, &mut observation, "a.outerHTML = '<button id=a>A2</button>'; 0").await;
        assert_ne!(id(&observation, "A2"), a);
    });
}

#[test]
fn a_node_that_shows_another_item_of_its_list_is_another_element() {
    run(async {
        let (page, mut observation) =
            observed("<ul><li id=i aria-posinset=1 aria-setsize=900>One <button>Open</button></li></ul>")
                .await;
        let ids = |observation: &Observation| {
            let button = element(graph(observation), "Open").instance_id.clone();
            let item =
                graph(observation).elements().find(|(_, _, each)| crate::shared::role(each) == "listitem");
            (item.unwrap().2.instance_id.clone(), button)
        };
        let first = ids(&observation);
        change(&page, &mut observation, "i.firstChild.data = 'One and a half '; 0").await;
        assert_eq!(ids(&observation), first, "other text alone is the same item");
        change(
            &page,
            &mut observation,
            "i.setAttribute('aria-posinset', '77'); i.firstChild.data = 'Seventy-seven '; 0",
        )
        .await;
        let second = ids(&observation);
        assert!(second.0 != first.0 && second.1 != first.1, "{first:?} {second:?}");
    });
}

/// Requirement: WEB-R8-02
#[test]
fn stable_ids_that_stand_twice_are_marked_for_as_long_as_they_do() {
    run(async {
        let (page, mut observation) =
            observed("<button data-uiap-id=x>One</button><div id=late></div>").await;
        let marked = |observation: &Observation, name: &str| {
            let element = serde_json::to_value(element(graph(observation), name)).unwrap();
            element.pointer("/metadata/duplicateStableId") == Some(&Value::Bool(true))
        };
        assert!(!marked(&observation, "One"));
        change(&page, &mut observation, "late.innerHTML = '<button data-uiap-id=x>Two</button>'; 0").await;
        assert!(marked(&observation, "One") && marked(&observation, "Two"));
        change(&page, &mut observation, "late.innerHTML = ''; 0").await;
        assert!(!marked(&observation, "One"));
    });
}

/// What depends on something else changes with it.
#[test]
fn names_states_and_sight_follow_what_they_depend_on() {
    run(async {
        let (page, mut observation) = observed(
            "<span id=l>Label</span><button id=by aria-labelledby=l>x</button><label for=f id=lf>Field</label><input id=f>
             <fieldset id=fs><legend>G</legend><input aria-label=Inner></fieldset><div id=wrap><button>Wrapped</button></div>
             <input type=radio name=r aria-label=R1 id=r1><input type=radio name=r aria-label=R2 id=r2 checked>
             <label id=around>Mail <input id=m></label>",
        )
        .await;
        // A label without `for` belongs to the first control in it.
        let is_named = |observation: &Observation| {
            named(graph(observation), "Mail").iter().any(|each| each.role == UIRole::Textbox)
        };
        assert!(is_named(&observation));
        change(&page, &mut observation, "around.prepend(document.createElement('button')); 0").await;
        assert!(!is_named(&observation));
        change(&page, &mut observation, "l.textContent = 'Other'; 0").await;
        assert!(has(graph(&observation), "Other"));
        change(&page, &mut observation, "lf.textContent = 'Renamed'; 0").await;
        assert!(has(graph(&observation), "Renamed"));
        change(&page, &mut observation, "lf.remove(); 0").await;
        assert!(!has(graph(&observation), "Renamed"));
        change(&page, &mut observation, "fs.disabled = true; 0").await;
        assert_eq!(state(element(graph(&observation), "Inner"), "enabled"), false);
        change(&page, &mut observation, "wrap.style.display = 'none'; 0").await;
        assert!(!has(graph(&observation), "Wrapped"));
        change(&page, &mut observation, "wrap.style.display = ''; 0").await;
        assert!(has(graph(&observation), "Wrapped"));
        change(&page, &mut observation, "r1.click(); 0").await;
        assert_eq!(state(element(graph(&observation), "R2"), "checked"), false);
        // A script leaves no trace when it writes into a field; whoever asks is told.
        evaluate(&page, "f.value = 'typed'").await;
        observation.sync().await.unwrap();
        assert!(graph(&observation).elements().any(|(_, _, each)| state(each, "textValue") == "typed"));
    });
}

#[test]
fn a_change_tells_what_it_touched_as_it_was_and_as_it_is() {
    run(async {
        let (page, mut observation) =
            observed("<button id=b>Before</button><ul aria-label=L><li id=i>One</li></ul>").await;
        evaluate(&page, "b.textContent = 'After'; i.insertAdjacentHTML('afterend', '<li>Two</li>'); history.replaceState(null, '', '?x'); 0").await;
        let Revision::Change(change) = observation.next().await.unwrap() else { panic!("a snapshot") };
        let names: Vec<_> = change
            .elements
            .iter()
            .map(|each| {
                (
                    each.before.as_ref().and_then(|each| each.name.clone()),
                    each.after.as_ref().and_then(|each| each.name.clone()),
                )
            })
            .collect();
        assert!(names.contains(&(Some("Before".into()), Some("After".into()))), "{names:?}");
        assert!(names.contains(&(None, Some("Two".into()))), "{names:?}");
        let list = change
            .scopes
            .iter()
            .find(|each| each.after.as_ref().is_some_and(|scope| scope.collection.is_some()));
        let loaded = |scope: &Option<uiap_model::web::ScopeNode>| {
            scope.as_ref()?.collection.as_ref()?.loaded.as_ref().map(|count| count.0)
        };
        assert_eq!(list.map(|each| (loaded(&each.before), loaded(&each.after))), Some((Some(1), Some(2))));
        assert_ne!(
            change.route_before.as_ref().map(|route| &route.url),
            Some(&graph(&observation).route.url)
        );
    });
}

#[test]
fn what_happens_in_the_page_is_told_in_its_order() {
    run(async {
        let (page, mut observation) =
            observed("<form id=form><input id=f required aria-label=F></form>").await;
        evaluate(
            &page,
            "f.focus(); document.dispatchEvent(new CustomEvent('uiap:signal', {detail: {kind: 'custom', name: 'one'}}));
             dispatchEvent(new CustomEvent('uiap:signal', {detail: {kind: 'custom', name: 'two'}}));
             form.requestSubmit(); history.pushState(null, '', '?route'); f.dispatchEvent(new KeyboardEvent('keydown', {key: 'x', bubbles: true})); 0",
        )
        .await;
        let mut events = Vec::new();
        while !events.iter().any(|event| matches!(event, PageEventKind::Route { .. })) {
            let next = timeout(Duration::from_secs(20), observation.next()).await;
            events.extend(
                match next.unwrap_or_else(|_| panic!("only {events:?}")).unwrap() {
                    Revision::Change(change) => change.events,
                    Revision::Snapshot(fresh) => fresh.events,
                }
                .into_iter()
                .map(|event| event.kind),
            );
        }
        let at = |wanted: &dyn Fn(&PageEventKind) -> bool| events.iter().position(wanted);
        let signal = |name: &str| {
            at(
                &|event| matches!(event, PageEventKind::Signal(detail) if detail.get("name").is_some_and(|each| each == name)),
            )
        };
        let order = [
            at(&|event| matches!(event, PageEventKind::Focus(Some(_)))),
            signal("one"),
            signal("two"),
            at(&|event| matches!(event, PageEventKind::Invalid(Some(_)))),
            at(
                &|event| matches!(event, PageEventKind::Route { how: RouteChange::Push, url } if url.ends_with("?route")),
            ),
        ];
        assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{order:?} in {events:?}");
        assert!(
            at(&|event| matches!(event, PageEventKind::Activation(_))).is_none(),
            "a scripted key activates nothing"
        );
    });
}

/// Requirement: WEB-A-10
/// Requirement: WEB-N-04
#[test]
fn annotations_and_roles_that_change_at_run_time_are_told() {
    run(async {
        let (page, mut observation) = observed(
            "<div id=p><button>Panel</button></div><select id=s aria-label=S><option>1<option>2</select>",
        )
        .await;
        change(&page, &mut observation, "p.setAttribute('data-uiap-ignore', ''); 0").await;
        assert!(!has(graph(&observation), "Panel"));
        change(&page, &mut observation, "p.removeAttribute('data-uiap-ignore'); 0").await;
        assert!(has(graph(&observation), "Panel"));
        change(&page, &mut observation, "s.multiple = true; 0").await;
        assert_eq!(crate::shared::role(element(graph(&observation), "S")), "listbox");
    });
}

#[test]
fn two_observers_and_a_snapshot_do_not_disturb_one_another() {
    run(async {
        let (page, mut one) = observed("<p role=status id=s>0</p>").await;
        let mut two = page.observe(ObserveOptions::default());
        two.next().await.unwrap();
        for n in 1..=5 {
            evaluate(&page, &format!("s.textContent = {n}")).await;
            page.snapshot(&crate::shared::options("{}")).await.unwrap();
            for observation in [&mut one, &mut two] {
                timeout(Duration::from_secs(20), observation.next())
                    .await
                    .expect("no revision came")
                    .unwrap();
                assert_eq!(state(named_status(graph(observation)), "textValue"), n.to_string());
            }
        }
    });
}

/// A frame that was ours and shows another origin by now is left alone without being touched: a look at the page around it goes on.
#[test]
fn a_frame_that_goes_to_another_origin_does_not_break_the_look_at_its_page() {
    run(async {
        let site = Site::with(&[("/", "<button>Inner</button>")]).await;
        let (page, mut observation) = observed("<iframe id=f title=Frame></iframe><p id=p></p>").await;
        let load = format!(
            "new Promise((go) => {{ f.onload = () => go(1); f.src = {:?}; }}).then(() => {{ p.innerHTML = '<button>After</button>'; return 1 }})",
            site.foreign("/")
        );
        evaluate(&page, &load).await;
        // Twice: the first look may still find what was there before.
        for _ in 0..2 {
            observation.sync().await.unwrap();
        }
        element(observation.graph().unwrap(), "After");
    });
}
