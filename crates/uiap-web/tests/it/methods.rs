//! Acting by an element's own methods: which of them are called, and that no made-up events stand in for them.

use serde_json::{Value, json};
use uiap_model::capability::ExecutionMode;
use uiap_model::names::ElementInstanceId;
use uiap_runtime::surface::{Command, Observer as _, Press, Sight, Surface as _};
use uiap_web::Page;
use uiap_web::signal::WatchOptions;
use uiap_web::surface::WebSurface;

use crate::resync::behind;
use crate::shared::{browser, element, evaluate, page, run, snapshot};

/// Every native control, and a page that listens to everything.
const CONTROLS: &str = "<button>Press</button><input aria-label=Name><input type=checkbox aria-label=Agree><select aria-label=Size><option value=s>S
    <option value=m>M</select><input type=range aria-label=Volume min=0 max=10 value=3><div style='height:4000px'></div><button>Far</button>
    <form><input aria-label=Query><button>Go</button></form>
    <script>globalThis.seen = []; const note = (event) => seen.push({ type: event.type, trusted: event.isTrusted });
      for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'focus', 'input', 'change', 'submit', 'keydown'])
        document.addEventListener(type, note, true);
      document.addEventListener('submit', (event) => event.preventDefault());</script>";

/// Spies on the methods of elements, in the world from which they are called: the page's own world sees only what follows.
const SPIES: &str = "(() => { globalThis.called = [];
    const spy = (owner, name, told) => { const real = owner[name];
      owner[name] = function (...args) { called.push(told ? told(args) : name); return Reflect.apply(real, this, args) } };
    for (const name of ['click', 'focus']) spy(HTMLElement.prototype, name);
    spy(Element.prototype, 'scrollIntoView'); spy(HTMLFormElement.prototype, 'requestSubmit');
    spy(EventTarget.prototype, 'dispatchEvent', ([event]) => 'dispatch ' + event.type);
    for (const [owner, name] of [[HTMLInputElement, 'value'], [HTMLOptionElement, 'selected']]) {
      const real = Object.getOwnPropertyDescriptor(owner.prototype, name);
      Object.defineProperty(owner.prototype, name, { ...real, set(value) { called.push('set ' + name); Reflect.apply(real.set, this, [value]) } }) }
    return called.length })()";

async fn surface(page: &Page) -> WebSurface {
    let surface = WebSurface::new(browser().await, page, WatchOptions::default()).await.unwrap();
    let mut observer = surface.observe().await.unwrap();
    let sights = observer.look().await.unwrap();
    assert!(sights.iter().any(|sight| matches!(sight, Sight::Revision(_))));
    surface
}

/// What was called on elements, and what the page heard of it.
async fn done(
    page: &Page,
    surface: &WebSurface,
    mode: ExecutionMode,
    command: Command,
) -> (Vec<String>, Vec<Value>) {
    evaluate(page, "seen.length = 0; 1").await;
    behind(page, "called.length = 0").await;
    surface.dispatch(mode, &command, None).await.unwrap();
    let called = behind(page, "called").await;
    let called = called.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned());
    (called.collect(), evaluate(page, "seen").await.as_array().unwrap().clone())
}

fn of<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["type"] == kind).collect()
}

/// Requirement: ACT-10.2-01
/// Requirement: ACT-10.2-03
#[test]
fn native_controls_are_driven_by_their_methods_and_by_no_made_up_events() {
    run(async {
        let page = page(CONTROLS).await;
        let surface = surface(&page).await;
        let graph = snapshot(&page).await;
        behind(&page, SPIES).await;
        let id = |name: &str| -> ElementInstanceId { element(&graph, name).instance_id.clone() };
        let set = |name: &str, value: &str| Command::SetValue { target: id(name), value: value.to_owned() };
        let write =
            Command::Type { target: id("Name"), text: "Ada".to_owned(), replace: true, by_keys: false };
        let choose = Command::Select { target: id("Size"), values: vec!["m".to_owned()] };
        let told = ["dispatch input", "dispatch change"];
        let by_setter = |setter: &'static str| [&["focus", setter][..], &told[..]].concat();
        let cases = [
            (Command::Click(Press::on(id("Press"))), vec!["click"], "1", json!(1)),
            (
                Command::Click(Press::on(id("Agree"))),
                vec!["click"],
                "document.querySelector('[type=checkbox]').checked",
                json!(true),
            ),
            (Command::Focus(id("Name")), vec!["focus"], "document.activeElement.ariaLabel", json!("Name")),
            (Command::ScrollIntoView(id("Far")), vec!["scrollIntoView"], "scrollY > 1000", json!(true)),
            (
                write,
                by_setter("set value"),
                "document.querySelector('[aria-label=Name]').value",
                json!("Ada"),
            ),
            (choose, by_setter("set selected"), "document.querySelector('select').value", json!("m")),
            (
                set("Volume", "7"),
                by_setter("set value"),
                "document.querySelector('[type=range]').value",
                json!("7"),
            ),
            (Command::Submit(id("Query")), vec!["requestSubmit"], "1", json!(1)),
        ];
        for (command, methods, expression, value) in cases {
            let (mut called, events) =
                done(&page, &surface, ExecutionMode::SemanticUi, command.clone()).await;
            called.dedup();
            assert_eq!(called, methods, "{command:?}");
            assert_eq!(evaluate(&page, expression).await, value, "{command:?}");
            for made_up in ["pointerdown", "mousedown", "pointerup", "mouseup", "keydown"] {
                assert_eq!(of(&events, made_up).len(), 0, "{made_up} by {command:?}");
            }
            for kind in ["focus", "submit"] {
                assert!(
                    of(&events, kind).iter().all(|event| event["trusted"] == true),
                    "{kind} by {command:?}"
                );
            }
        }
    });
}

/// Requirement: ACT-10.2-03
#[test]
fn made_up_events_are_a_way_of_their_own_that_comes_later() {
    run(async {
        let page = page(CONTROLS).await;
        let surface = surface(&page).await;
        let graph = snapshot(&page).await;
        behind(&page, SPIES).await;
        let press = Command::Click(Press::on(element(&graph, "Press").instance_id.clone()));
        let (called, events) = done(&page, &surface, ExecutionMode::InputSynthesis, press).await;
        assert!(
            called.contains(&"dispatch click".to_owned()),
            "the spies see them where they are made: {called:?}"
        );
        assert_eq!(of(&events, "mousedown").len(), 1);
        let order = surface.modes();
        let at = |mode: ExecutionMode| order.iter().position(|each| *each == mode).unwrap();
        assert!(at(ExecutionMode::SemanticUi) < at(ExecutionMode::InputSynthesis), "{order:?}");
    });
}
