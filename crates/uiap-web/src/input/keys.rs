//! The keys of a US keyboard: what a browser says of each when it is pressed.

/// One key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    /// What it means, such as `a` or `Enter`.
    pub(super) meaning: &'static str,
    /// Where it is, such as `KeyA`.
    pub(super) code: &'static str,
    /// The number that old scripts look at.
    pub(super) number: i64,
    /// What it types.
    pub(super) text: Option<&'static str>,
    /// 1 left, 2 right, 3 on the number pad.
    pub(super) location: i64,
    /// Whether Shift must be down for this meaning.
    pub(super) shift: bool,
}

const fn typing(key: &'static str, code: &'static str, number: i64, shift: bool) -> Key {
    Key { meaning: key, code, number, text: Some(key), location: 0, shift }
}

const fn named(key: &'static str, code: &'static str, number: i64) -> Key {
    Key { meaning: key, code, number, text: None, location: 0, shift: false }
}

/// Keys with two meanings: plain, with Shift, code, number.
const PRINTED: [(&str, &str, &str, i64); 47] = [
    ("`", "~", "Backquote", 192),
    ("1", "!", "Digit1", 49),
    ("2", "@", "Digit2", 50),
    ("3", "#", "Digit3", 51),
    ("4", "$", "Digit4", 52),
    ("5", "%", "Digit5", 53),
    ("6", "^", "Digit6", 54),
    ("7", "&", "Digit7", 55),
    ("8", "*", "Digit8", 56),
    ("9", "(", "Digit9", 57),
    ("0", ")", "Digit0", 48),
    ("-", "_", "Minus", 189),
    ("=", "+", "Equal", 187),
    ("[", "{", "BracketLeft", 219),
    ("]", "}", "BracketRight", 221),
    ("\\", "|", "Backslash", 220),
    (";", ":", "Semicolon", 186),
    ("'", "\"", "Quote", 222),
    (",", "<", "Comma", 188),
    (".", ">", "Period", 190),
    ("/", "?", "Slash", 191),
    ("a", "A", "KeyA", 65),
    ("b", "B", "KeyB", 66),
    ("c", "C", "KeyC", 67),
    ("d", "D", "KeyD", 68),
    ("e", "E", "KeyE", 69),
    ("f", "F", "KeyF", 70),
    ("g", "G", "KeyG", 71),
    ("h", "H", "KeyH", 72),
    ("i", "I", "KeyI", 73),
    ("j", "J", "KeyJ", 74),
    ("k", "K", "KeyK", 75),
    ("l", "L", "KeyL", 76),
    ("m", "M", "KeyM", 77),
    ("n", "N", "KeyN", 78),
    ("o", "O", "KeyO", 79),
    ("p", "P", "KeyP", 80),
    ("q", "Q", "KeyQ", 81),
    ("r", "R", "KeyR", 82),
    ("s", "S", "KeyS", 83),
    ("t", "T", "KeyT", 84),
    ("u", "U", "KeyU", 85),
    ("v", "V", "KeyV", 86),
    ("w", "W", "KeyW", 87),
    ("x", "X", "KeyX", 88),
    ("y", "Y", "KeyY", 89),
    ("z", "Z", "KeyZ", 90),
];

const NAMED: [Key; 43] = [
    Key { meaning: "Enter", code: "Enter", number: 13, text: Some("\r"), location: 0, shift: false },
    Key { meaning: " ", code: "Space", number: 32, text: Some(" "), location: 0, shift: false },
    Key { meaning: "Shift", code: "ShiftLeft", number: 16, text: None, location: 1, shift: false },
    Key { meaning: "Control", code: "ControlLeft", number: 17, text: None, location: 1, shift: false },
    Key { meaning: "Alt", code: "AltLeft", number: 18, text: None, location: 1, shift: false },
    Key { meaning: "Meta", code: "MetaLeft", number: 91, text: None, location: 1, shift: false },
    named("Tab", "Tab", 9),
    named("Escape", "Escape", 27),
    named("Backspace", "Backspace", 8),
    named("Delete", "Delete", 46),
    named("Insert", "Insert", 45),
    named("Home", "Home", 36),
    named("End", "End", 35),
    named("PageUp", "PageUp", 33),
    named("PageDown", "PageDown", 34),
    named("ArrowLeft", "ArrowLeft", 37),
    named("ArrowUp", "ArrowUp", 38),
    named("ArrowRight", "ArrowRight", 39),
    named("ArrowDown", "ArrowDown", 40),
    named("CapsLock", "CapsLock", 20),
    named("NumLock", "NumLock", 144),
    named("ScrollLock", "ScrollLock", 145),
    named("Pause", "Pause", 19),
    named("PrintScreen", "PrintScreen", 44),
    named("ContextMenu", "ContextMenu", 93),
    named("F1", "F1", 112),
    named("F2", "F2", 113),
    named("F3", "F3", 114),
    named("F4", "F4", 115),
    named("F5", "F5", 116),
    named("F6", "F6", 117),
    named("F7", "F7", 118),
    named("F8", "F8", 119),
    named("F9", "F9", 120),
    named("F10", "F10", 121),
    named("F11", "F11", 122),
    named("F12", "F12", 123),
    named("AudioVolumeMute", "AudioVolumeMute", 173),
    named("AudioVolumeDown", "AudioVolumeDown", 174),
    named("AudioVolumeUp", "AudioVolumeUp", 175),
    named("MediaTrackNext", "MediaTrackNext", 176),
    named("MediaTrackPrevious", "MediaTrackPrevious", 177),
    named("MediaPlayPause", "MediaPlayPause", 179),
];

/// Other names of keys.
const ALIASES: [(&str, &str); 12] = [
    ("Return", "Enter"),
    ("Esc", "Escape"),
    ("Space", " "),
    ("Ctrl", "Control"),
    ("Cmd", "Meta"),
    ("Command", "Meta"),
    ("Option", "Alt"),
    ("Del", "Delete"),
    ("Left", "ArrowLeft"),
    ("Up", "ArrowUp"),
    ("Right", "ArrowRight"),
    ("Down", "ArrowDown"),
];

/// The key of that name, meaning or code.
pub(super) fn find(name: &str) -> Option<Key> {
    let name =
        ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name)).map_or(name, |(_, key)| key);
    if let Some(key) = NAMED.iter().find(|key| key.meaning.eq_ignore_ascii_case(name) || key.code == name) {
        return Some(*key);
    }
    PRINTED.iter().find_map(|(plain, shifted, code, number)| {
        if name == *plain || name == *code {
            Some(typing(plain, code, *number, false))
        } else {
            (name == *shifted).then(|| typing(shifted, code, *number, true))
        }
    })
}

/// The key that types a character; none when a US keyboard has none for it.
pub(super) fn of_character(character: char) -> Option<Key> {
    match character {
        '\n' | '\r' => find("Enter"),
        '\t' => find("Tab"),
        _ => find(character.encode_utf8(&mut [0; 4])).filter(|key| key.text.is_some()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_by_name_meaning_and_code() {
        for (name, code, number) in [
            ("a", "KeyA", 65),
            ("A", "KeyA", 65),
            ("KeyA", "KeyA", 65),
            ("esc", "Escape", 27),
            ("Space", "Space", 32),
        ] {
            let key = find(name).unwrap();
            assert_eq!((key.code, key.number), (code, number));
        }
        assert!(find("A").unwrap().shift && !find("a").unwrap().shift);
        assert_eq!(find("Hyper"), None);
    }

    #[test]
    fn every_ascii_character_that_is_printed_has_a_key() {
        for character in ' '..='~' {
            assert_eq!(of_character(character).unwrap().text, Some(&*character.to_string()), "{character}");
        }
        assert_eq!(of_character('ä'), None);
        assert_eq!(of_character('\n').unwrap().meaning, "Enter");
    }
}
