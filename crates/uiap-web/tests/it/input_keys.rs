//! Keys, text and files.

use serde_json::json;
use uiap_web::input::{Input, InputError, Typing};

use crate::input::{id_of, ready};
use crate::shared::{evaluate, run};

const FIELDS: &str = "<input id=a aria-label=One value=old><textarea id=b aria-label=Two>old
text</textarea><div id=c contenteditable aria-label=Three role=textbox>old <b>text</b></div><script>
window.keys = []; addEventListener('keydown', event => keys.push(event.key + ':' + event.code), true);
for (const type of ['input', 'change']) addEventListener(type, event => log.push([type, event.target.id, event.isTrusted]), true)</script>";

#[test]
fn text_is_put_in_at_once_or_key_by_key() {
    run(async {
        let (page, input) = ready(FIELDS).await;
        let id = id_of(&page, "One").await;
        input.type_text(&id, " and new", Typing::Insert).await.unwrap();
        assert_eq!(evaluate(&page, "[a.value, keys]").await, json!(["old and new", []]));
        input.replace_text(&id, "Ab, wörld🎬!\t", Typing::Keys).await.unwrap();
        assert_eq!(evaluate(&page, "a.value").await, "Ab, wörld🎬!");
        let keys = evaluate(&page, "keys").await;
        assert_eq!(
            keys,
            json!([
                "A:KeyA", "b:KeyB", ",:Comma", " :Space", "w:KeyW", "r:KeyR", "l:KeyL", "d:KeyD", "!:Digit1",
                "Tab:Tab"
            ])
        );
        assert_eq!(evaluate(&page, "document.activeElement.id").await, "b", "the tabulator moved on");
        assert_eq!(input.value(&id).await.unwrap(), "Ab, wörld🎬!");
        assert_eq!(evaluate(&page, "log.every(each => each[2])").await, json!(true));
    });
}

#[test]
fn keys_are_pressed_where_somebody_listens_to_them() {
    run(async {
        let (page, input) = ready("<input id=a aria-label=Plain><form id=f><input id=b aria-label=Heard></form><script>window.keys = 0; f.addEventListener('keyup', () => { keys++ })</script>").await;
        input.type_text(&id_of(&page, "Plain").await, "abc", Typing::default()).await.unwrap();
        assert_eq!(evaluate(&page, "[a.value, keys]").await, json!(["abc", 0]));
        input.type_text(&id_of(&page, "Heard").await, "abc", Typing::default()).await.unwrap();
        assert_eq!(evaluate(&page, "[b.value, keys]").await, json!(["abc", 3]));
    });
}

#[test]
fn what_a_field_holds_is_replaced_whatever_kind_it_is() {
    run(async {
        let (page, input) = ready(FIELDS).await;
        for (name, text) in [("One", "1"), ("Two", "2\n2"), ("Three", "3")] {
            input.replace_text(&id_of(&page, name).await, text, Typing::Insert).await.unwrap();
        }
        assert_eq!(evaluate(&page, "[a.value, b.value, c.textContent]").await, json!(["1", "2\n2", "3"]));
        for name in ["One", "Two", "Three"] {
            input.replace_text(&id_of(&page, name).await, "", Typing::Insert).await.unwrap();
        }
        assert_eq!(evaluate(&page, "[a.value, b.value, c.textContent]").await, json!(["", "", ""]));
    });
}

#[test]
fn chords_command_and_plain_keys_type() {
    run(async {
        let (page, input) =
            ready(&format!("<form onsubmit='window.sent = true; return false'>{FIELDS}</form>")).await;
        input.focus(&id_of(&page, "One").await).await.unwrap();
        for chord in ["End", "Shift+x", "Control+a"] {
            input.press(chord).await.unwrap();
        }
        assert_eq!(
            evaluate(&page, "[a.value, a.selectionStart, a.selectionEnd]").await,
            json!(["oldX", 0, 4])
        );
        input.press("Enter").await.unwrap();
        assert_eq!(evaluate(&page, "sent").await, json!(true));
        input.press("Tab").await.unwrap();
        assert_eq!(evaluate(&page, "document.activeElement.id").await, "b");
        let keys = evaluate(&page, "keys").await;
        let wanted = [
            "End:End",
            "Shift:ShiftLeft",
            "X:KeyX",
            "Control:ControlLeft",
            "a:KeyA",
            "Enter:Enter",
            "Tab:Tab",
        ];
        assert_eq!(keys, json!(wanted));
        assert!(
            matches!(input.press("Control+Foo").await, Err(InputError::UnknownKey(name)) if name == "Foo")
        );
    });
}

#[test]
fn what_cannot_have_the_keyboard_is_not_typed_into() {
    run(async {
        let (page, input) =
            ready(&format!("{FIELDS}<input id=off aria-label=Off disabled value=kept>")).await;
        input.focus(&id_of(&page, "One").await).await.unwrap();
        input.replace_text(&id_of(&page, "Off").await, "new", Typing::Insert).await.unwrap_err();
        assert_eq!(evaluate(&page, "[a.value, off.value]").await, json!(["old", "kept"]));
    });
}

#[test]
fn files_reach_hidden_inputs_and_choosers() {
    run(async {
        let (page, input) = ready(
            "<input id=f type=file multiple aria-label=Files style='opacity:0;width:1px;height:1px'><button id=pick onclick='f.click()'>Pick</button><button id=idle>Idle</button>",
        )
        .await;
        let directory = std::env::temp_dir().join(format!("uiap-files-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let files: Vec<_> = ["one.txt", "two.txt"].iter().map(|name| directory.join(name)).collect();
        for file in &files {
            std::fs::write(file, "content").unwrap();
        }
        let chosen = "Array.from(f.files, each => each.name)";
        input.set_files(&id_of(&page, "Files").await, &files[..1]).await.unwrap();
        assert_eq!(evaluate(&page, chosen).await, json!(["one.txt"]));
        input.choose_files(&id_of(&page, "Pick").await, &files).await.unwrap();
        assert_eq!(evaluate(&page, chosen).await, json!(["one.txt", "two.txt"]));
        std::fs::remove_dir_all(&directory).unwrap();
        let error = Input::new(&page)
            .await
            .unwrap()
            .choose_files(&id_of(&page, "Idle").await, &files)
            .await
            .unwrap_err();
        assert!(matches!(error, InputError::NoChooser), "{error}");
    });
}
