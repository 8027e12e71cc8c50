//! Pointer input: trusted, at rest, in view, and never on anything but its target.

use std::time::{Duration, Instant};

use serde_json::json;
use uiap_cdp::protocol::input::MouseButton;
use uiap_model::names::ElementInstanceId;
use uiap_web::Page;
use uiap_web::input::{Click, HitTest, Input, InputError};

use crate::shared::{element, evaluate, options, page, run, snapshot_with};

/// Keeps a list of what happened to whom.
const LOG: &str = "<script>window.log = []; for (const type of ['pointerdown', 'mousedown', 'click', 'dblclick', 'contextmenu', 'auxclick', 'touchstart', 'touchend', 'drop'])
    addEventListener(type, event => log.push([type, event.composedPath()[0].id, event.isTrusted]), true)</script>";

pub(crate) async fn ready(html: &str) -> (Page, Input) {
    let page = page(&format!("<meta charset=utf-8><body style='margin:0'>{LOG}{html}")).await;
    let input = Input::new(&page).await.unwrap();
    (page, input)
}

pub(crate) async fn id_of(page: &Page, name: &str) -> ElementInstanceId {
    let graph = snapshot_with(page, &options(r#"{"includeHidden":true}"#)).await;
    element(&graph, name).instance_id.clone()
}

async fn click(page: &Page, input: &Input, name: &str) -> Result<Vec<String>, InputError> {
    let id = id_of(page, name).await;
    Ok(input.click(&id, &Click::default()).await?.events)
}

#[test]
fn a_click_is_trusted_and_reaches_its_target() {
    run(async {
        let (page, input) = ready("<button id=a>Press</button>").await;
        let seen = click(&page, &input, "Press").await.unwrap();
        assert_eq!(seen, ["pointerdown", "mousedown", "pointerup", "mouseup", "click"]);
        let log = evaluate(&page, "log").await;
        assert_eq!(log, json!([["pointerdown", "a", true], ["mousedown", "a", true], ["click", "a", true]]));
        let left = evaluate(
            &page,
            "Object.getOwnPropertySymbols(window).filter(each => String(each).includes('uiap')).length",
        )
        .await;
        assert_eq!(left, 0, "nothing is left in the page's own world");
    });
}

#[test]
fn buttons_counts_and_modifiers_are_as_asked() {
    run(async {
        let (page, input) = ready("<button id=a>Press</button><script>a.onclick = event => { window.ctrl = event.ctrlKey }</script>").await;
        let id = id_of(&page, "Press").await;
        input.click(&id, &Click { count: 2, modifiers: 2, ..Click::default() }).await.unwrap();
        input.click(&id, &Click { button: MouseButton::Right, ..Click::default() }).await.unwrap();
        let kinds = evaluate(
            &page,
            "log.map(each => each[0]).filter(type => type.endsWith('k') || type === 'contextmenu')",
        )
        .await;
        assert_eq!(kinds, json!(["click", "click", "dblclick", "contextmenu", "auxclick"]));
        assert_eq!(evaluate(&page, "ctrl").await, json!(true));
    });
}

#[test]
fn a_covered_target_is_not_clicked_and_what_covers_it_is_named() {
    run(async {
        let (page, input) = ready(
            "<button id=a>Press</button><div id=veil role=dialog style='position:fixed;inset:0;background:#0003'>Wait a moment</div>",
        )
        .await;
        let error = click(&page, &input, "Press").await.unwrap_err();
        assert!(error.is_without_effect());
        assert_eq!(
            error.to_string(),
            "the target cannot be reached: it is covered by <div id=veil role=dialog> `Wait a moment`"
        );
        assert_eq!(evaluate(&page, "log").await, json!([]));
        // A part that is free is enough.
        evaluate(
            &page,
            "veil.style.right = 'auto'; veil.style.width = a.getBoundingClientRect().width * 0.6 + 'px'; 1",
        )
        .await;
        click(&page, &input, "Press").await.unwrap();
    });
}

#[test]
fn what_slips_between_pointer_and_target_does_not_get_the_click() {
    run(async {
        let (page, input) = ready(
            "<button id=a>Press</button><div id=trap hidden style='position:fixed;inset:0'></div><script>
             a.onmousemove = () => { trap.hidden = false }; trap.onclick = () => { window.trapped = true }</script>",
        )
        .await;
        let error = click(&page, &input, "Press").await.unwrap_err();
        assert!(matches!(&error, InputError::Intercepted(by) if by.id.as_deref() == Some("trap")), "{error}");
        assert!(error.is_without_effect());
        assert_eq!(evaluate(&page, "window.trapped === undefined").await, json!(true));
        evaluate(&page, "a.onmousemove = null; trap.remove(); 1").await;
        click(&page, &input, "Press").await.expect("the guard is gone with its gesture");
    });
}

#[test]
fn a_target_out_of_sight_is_brought_into_view() {
    run(async {
        let (page, input) = ready(
            "<style>html { scroll-behavior: smooth }</style><div style='height:3000px'></div>
             <div style='height:100px;overflow:auto'><div style='height:900px'></div><button id=a>Deep</button></div><div style='height:2000px'></div>",
        )
        .await;
        click(&page, &input, "Deep").await.unwrap();
        assert_eq!(evaluate(&page, "log.length").await, json!(3));
    });
}

#[test]
fn a_control_that_is_not_seen_is_reached_by_its_label() {
    run(async {
        let (page, input) = ready(
            "<label id=l style='display:block;width:100px'><input id=box type=checkbox style='position:absolute;width:0;height:0;opacity:0'>Agree</label>
             <input id=none type=checkbox style='display:none' aria-label=Never>",
        )
        .await;
        let landed = input.click(&id_of(&page, "Agree").await, &Click::default()).await.unwrap();
        assert!(landed.label);
        assert_eq!(evaluate(&page, "box.checked").await, json!(true));
        let error = click(&page, &input, "Never").await.unwrap_err();
        assert!(matches!(error, InputError::Unreachable(HitTest::Hidden)), "{error}");
    });
}

#[test]
fn frames_move_and_scale_the_point() {
    run(async {
        let inner = "<body style=\"margin:0\"><div style=\"height:400px\"></div><button id=inner onclick=\"top.hits = (top.hits || 0) + 1\">Inner</button>";
        let (page, input) = ready(&format!(
            "<div style='height:150px'></div><iframe style='margin-left:70px;border:7px solid;padding:5px;width:300px;height:120px;transform:scale(0.5);transform-origin:0 0'
             srcdoc='<iframe style=\"width:200px;height:80px\" srcdoc=\"{}\"></iframe>'></iframe>",
            inner.replace('"', "&amp;quot;")
        ))
        .await;
        let ready = "new Promise(done => { const look = () => frames[0]?.frames[0]?.document.getElementById('inner') ? done(1) : requestAnimationFrame(look); look() })";
        evaluate(&page, ready).await;
        click(&page, &input, "Inner").await.unwrap();
        assert_eq!(evaluate(&page, "hits").await, json!(1));
        evaluate(&page, "document.body.insertAdjacentHTML('beforeend', '<div id=veil style=position:fixed;inset:0></div>'); 1").await;
        let error = click(&page, &input, "Inner").await.unwrap_err();
        assert!(
            matches!(&error, InputError::Unreachable(HitTest::Covered { by: Some(by), .. }) if by.id.as_deref() == Some("veil")),
            "{error}"
        );
    });
}

#[test]
fn shadow_roots_are_part_of_the_way() {
    run(async {
        let (page, input) = ready(
            "<x-box></x-box><script>customElements.define('x-box', class extends HTMLElement { connectedCallback() {
             this.attachShadow({ mode: 'open' }).innerHTML = '<button id=deep><b>In</b>side</button>' } })</script>",
        )
        .await;
        click(&page, &input, "Inside").await.unwrap();
        assert_eq!(evaluate(&page, "log.length").await, json!(3));
    });
}

#[test]
fn a_moving_target_is_waited_for() {
    run(async {
        let (page, input) = ready(
            "<style>@keyframes go { from { transform: translateX(400px) } } #a { animation: go 400ms linear }</style>
             <button id=a>Css</button><br><button id=b style='position:relative'>Script</button><script>
             const start = performance.now(); const step = () => { const left = 400 - (performance.now() - start); if (left < 0) return b.style.left = '0px'; b.style.left = left + 'px'; requestAnimationFrame(step) }; step()</script>",
        )
        .await;
        click(&page, &input, "Script").await.unwrap();
        click(&page, &input, "Css").await.unwrap();
        assert_eq!(
            evaluate(&page, "log.filter(each => each[0] === 'click').map(each => each[1])").await,
            json!(["b", "a"])
        );
        evaluate(&page, "a.animate({ transform: ['none', 'translateX(90px)'] }, { duration: 200, iterations: Infinity, direction: 'alternate' }); 1").await;
        let hasty = input.with_patience(Duration::from_millis(300));
        let error = click(&page, &hasty, "Css").await.unwrap_err();
        assert!(matches!(error, InputError::Unreachable(HitTest::Moving)), "{error}");
    });
}

#[test]
fn a_removed_target_is_gone() {
    run(async {
        let (page, input) = ready("<button id=a>Press</button>").await;
        let id = id_of(&page, "Press").await;
        evaluate(&page, "a.remove(); 1").await;
        let error = input.click(&id, &Click::default()).await.unwrap_err();
        assert_eq!(error.to_string(), format!("the element `{id}` is not in the page"));
    });
}

#[test]
fn a_click_that_leaves_the_page_has_landed() {
    run(async {
        let (page, input) = ready("<a id=a href='?next'>Leave</a>").await;
        let id = id_of(&page, "Leave").await;
        let landed = input.click(&id, &Click::default()).await.unwrap();
        assert!(landed.left || landed.events.contains(&"click".to_owned()), "{landed:?}");
    });
}

#[test]
fn hovering_opens_what_opens_on_hover() {
    run(async {
        let (page, input) = ready(
            "<button id=a>Menu</button><div id=menu hidden><button>Entry</button></div><script>a.onpointerenter = event => { menu.hidden = !event.isTrusted }</script>",
        )
        .await;
        let landed = input.hover(&id_of(&page, "Menu").await).await.unwrap();
        assert!(landed.events.contains(&"mouseover".to_owned()), "{landed:?}");
        click(&page, &input, "Entry").await.unwrap();
        // The pointer is there already: that is as good.
        input.hover(&id_of(&page, "Entry").await).await.unwrap();
        assert_eq!(evaluate(&page, "matchMedia('(hover: hover)').matches").await, json!(true));
    });
}

#[test]
fn the_wheel_turns_what_lies_under_the_pointer() {
    run(async {
        let (page, input) = ready(
            "<div id=list style='height:120px;overflow:auto'><button style='height:60px'>Row</button><div style='height:900px'></div></div><div style='height:3000px'></div>",
        )
        .await;
        let scrolled = input.wheel(&id_of(&page, "Row").await, 0.0, 40.0).await.unwrap();
        assert!((scrolled.y - 40.0).abs() < 1.0, "{scrolled:?}");
        assert_eq!(evaluate(&page, "[list.scrollTop, scrollY]").await, json!([40, 0]));
        assert!(matches!(
            input.wheel(&id_of(&page, "Row").await, f64::NAN, 0.0).await,
            Err(InputError::OutOfRange(_))
        ));
    });
}

#[test]
fn a_press_can_be_held() {
    run(async {
        let (page, input) = ready("<button id=a>Hold</button><script>a.onpointerdown = () => { window.began = performance.now() }; a.onpointerup = () => { window.held = performance.now() - began }</script>").await;
        let hold = Duration::from_millis(120);
        input.click(&id_of(&page, "Hold").await, &Click { hold, ..Click::default() }).await.unwrap();
        assert!(evaluate(&page, "held").await.as_f64().unwrap() >= 110.0);
    });
}

#[test]
fn touch_taps_and_pinches() {
    run(async {
        let (page, input) = ready(
            "<button id=a style='width:200px;height:200px;touch-action:none'>Touch</button><script>window.spread = [];
             a.addEventListener('touchmove', event => event.touches.length === 2 && spread.push(Math.abs(event.touches[1].clientX - event.touches[0].clientX)))</script>",
        )
        .await;
        let id = id_of(&page, "Touch").await;
        let landed = input.tap(&id, Duration::ZERO).await.unwrap();
        assert!(landed.events.contains(&"touchstart".to_owned()), "{landed:?}");
        assert_eq!(
            evaluate(&page, "log.filter(each => each[0].startsWith('touch')).map(each => each[2])").await,
            json!([true, true])
        );
        input.pinch(&id, 2.0).await.unwrap();
        let spread: Vec<f64> = serde_json::from_value(evaluate(&page, "spread").await).unwrap();
        assert!(spread.last().unwrap() / spread.first().unwrap() > 1.5, "{spread:?}");
        assert!(matches!(input.pinch(&id, 0.0).await, Err(InputError::OutOfRange("scale"))));
    });
}

#[test]
fn dragging_works_with_the_browsers_drag_and_drop_and_without() {
    run(async {
        let (page, input) = ready(
            "<button id=card draggable=true ondragstart='event.dataTransfer.setData(\"text/plain\", \"card 7\")'>Card</button>
             <div id=bin role=button tabindex=0 style='margin-top:100px;width:200px;height:50px;background:#eee'>Bin</div>
             <button id=knob style='position:absolute;left:0;top:250px'>Knob</button><div role=button tabindex=0 style='position:absolute;left:300px;top:250px;width:50px;height:50px'>End</div>
             <script>bin.ondragover = event => event.preventDefault(); bin.ondrop = event => { window.dropped = event.dataTransfer.getData('text/plain') };
             knob.onpointerdown = event => { knob.setPointerCapture(event.pointerId); knob.onpointermove = event => { knob.style.left = event.clientX - 10 + 'px' }; knob.onpointerup = () => { knob.onpointermove = null } }</script>",
        )
        .await;
        let dragged = input.drag(&id_of(&page, "Card").await, &id_of(&page, "Bin").await).await.unwrap();
        assert!(dragged.native);
        assert_eq!(evaluate(&page, "dropped").await, json!("card 7"));
        let dragged = input.drag(&id_of(&page, "Knob").await, &id_of(&page, "End").await).await.unwrap();
        assert!(!dragged.native);
        assert!((evaluate(&page, "parseFloat(knob.style.left)").await.as_f64().unwrap() - 315.0).abs() < 2.0);
    });
}

/// Prints how long a click takes on an idle page; a bound that also holds on a busy machine.
#[test]
fn a_click_takes_milliseconds() {
    run(async {
        let fields: String = (0..30).map(|at| format!("<p><label>Field {at} <input></label>")).collect();
        let (page, input) = ready(&format!("<form>{fields}<button type=button>Press</button></form>")).await;
        let id = id_of(&page, "Press").await;
        input.click(&id, &Click::default()).await.unwrap();
        let mut times = Vec::new();
        for _ in 0..20 {
            let started = Instant::now();
            input.click(&id, &Click::default()).await.unwrap();
            times.push(started.elapsed());
        }
        times.sort();
        let (fastest, median) = (times.first().unwrap(), times.get(10).unwrap());
        eprintln!("click: {fastest:?} to {:?}, median {median:?}", times.last().unwrap());
        assert!(*fastest < Duration::from_millis(60), "{times:?}");
    });
}
