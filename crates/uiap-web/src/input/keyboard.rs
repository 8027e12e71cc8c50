//! Keys and text: chords, typing key by key, and putting text in at once.

use futures_util::future::try_join_all;
use serde_json::{Value, json};
use uiap_cdp::Session;
use uiap_cdp::protocol::input::{DispatchKeyEvent, InsertText, KeyEventType, Modifiers};
use uiap_model::names::ElementInstanceId;

use super::Input;
use super::ears::{Heard, hears_keys, is_key, is_of_value};
use super::error::InputError;
use super::keys::{self, Key};
use super::target::Target;
use crate::world::Kept;

/// Key events that are under way at the same time while text is typed.
const BATCH: usize = 32;

/// With one of these text was put in, or refused.
const INPUTS: &[&str] = &["beforeinput", "input"];

/// How text is typed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Typing {
    /// Key by key: for elements that listen to keys.
    Keys,
    /// At once, as if it were pasted: one input event.
    Insert,
    /// Key by key where the element, or what it lies in, listens to keys; else at once.
    #[default]
    AsListened,
}

/// Gives an element the keyboard, and puts the caret where it is wanted.
const HOLD: Kept = Kept { name: "hold", source: include_str!("../../page/functions/hold.js") };
const VALUE: Kept = Kept {
    name: "value",
    source: "function() { return String('value' in this ? this.value : this.textContent); }",
};

/// Where an element stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In the page's own document.
    Document,
    /// In a shadow tree or a frame.
    Inside,
}

impl Input {
    /// Gives an element the keyboard.
    pub async fn focus(&self, target: &ElementInstanceId) -> Result<(), InputError> {
        self.hold(&self.element(target).await?, "focus").await?;
        Ok(())
    }

    /// Presses a key, or several at once, such as `Enter` or `Control+Shift+K`, wherever the keyboard is.
    pub async fn press(&self, chord: &str) -> Result<(), InputError> {
        let chord = Chord::parse(chord)?;
        let session = self.session();
        let mut modifiers = 0;
        let mut events = Vec::new();
        for key in &chord.held {
            modifiers |= bit(key);
            events.push(event(key, KeyEventType::RawKeyDown, modifiers, None));
        }
        // With a modifier other than Shift a key commands; it types nothing.
        let text = chord.last.text.filter(|_| modifiers & !SHIFT == 0);
        let kind = if text.is_some() { KeyEventType::KeyDown } else { KeyEventType::RawKeyDown };
        events.push(event(&chord.last, kind, modifiers | bit(&chord.last), text));
        events.push(event(&chord.last, KeyEventType::KeyUp, modifiers, None));
        for key in chord.held.iter().rev() {
            modifiers &= !bit(key);
            events.push(event(key, KeyEventType::KeyUp, modifiers, None));
        }
        send(session, events).await
    }

    /// Gives an element the keyboard and types behind what it holds.
    pub async fn type_text(
        &self,
        target: &ElementInstanceId,
        text: &str,
        typing: Typing,
    ) -> Result<(), InputError> {
        let target = self.element(target).await?;
        let (place, heard) = tokio::join!(self.hold(&target, "last"), self.heard(typing));
        let (place, heard) = (place?, heard?);
        let typing = self.resolve(&target, place, heard, typing).await?;
        self.enter(text, typing).await
    }

    /// Gives an element the keyboard and replaces what it holds.
    pub async fn replace_text(
        &self,
        target: &ElementInstanceId,
        text: &str,
        typing: Typing,
    ) -> Result<(), InputError> {
        let target = self.element(target).await?;
        let (place, heard) = tokio::join!(self.hold(&target, "all"), self.heard(typing));
        let (place, heard) = (place?, heard?);
        if text.is_empty() {
            return self.press("Delete").await;
        }
        let typing = self.resolve(&target, place, heard, typing).await?;
        self.enter(text, typing).await
    }

    async fn hold(&self, target: &Target, how: &str) -> Result<Place, InputError> {
        match target.ask(&HOLD, json!(how)).await?.as_str() {
            "held" if target.host.is_none() => Ok(Place::Document),
            "held" | "inside" => Ok(Place::Inside),
            _ => Err(InputError::Unfocused),
        }
    }

    /// What is listened to in the document, where that decides something.
    async fn heard(&self, typing: Typing) -> Result<Heard, InputError> {
        if typing != Typing::AsListened {
            return Ok(None);
        }
        Ok(self.ears.of_document(self.session()).await?)
    }

    /// Whether a script listens that may take back what a target is given.
    pub(crate) async fn is_heard(&self) -> Result<bool, InputError> {
        let heard = self.ears.of_document(self.session()).await?;
        Ok(heard.is_none_or(|heard| heard.iter().any(|kind| is_of_value(kind))))
    }

    /// What an element holds now: its value, or its text.
    pub async fn value(&self, target: &ElementInstanceId) -> Result<String, InputError> {
        let target = self.element(target).await?;
        Ok(target.ask(&VALUE, Value::Null).await?)
    }

    /// Decides between keys and insertion by who listens.
    async fn resolve(
        &self,
        target: &Target,
        place: Place,
        heard: Heard,
        typing: Typing,
    ) -> Result<Typing, InputError> {
        if typing != Typing::AsListened {
            return Ok(typing);
        }
        let nobody = heard.is_some_and(|heard| !heard.iter().any(|kind| is_key(kind)));
        if nobody && place == Place::Document {
            return Ok(Typing::Insert);
        }
        let handle = target.handle().await?;
        let listens = hears_keys(&handle).await;
        handle.release();
        Ok(if listens? { Typing::Keys } else { Typing::Insert })
    }

    async fn enter(&self, text: &str, typing: Typing) -> Result<(), InputError> {
        let session = self.session();
        if typing == Typing::Insert {
            let put = session.call(InsertText { text });
            match &self.early {
                // What the page tells, or that it tells nothing, is for whoever looks next.
                Some(early) => drop(early.beside(INPUTS, put).await.0?),
                None => drop(put.await?),
            }
            return Ok(());
        }
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let Some(_) = keys::of_character(first) else {
                // What no key types is put in at once, up to the next character that one does.
                let end = rest
                    .char_indices()
                    .find(|(_, each)| keys::of_character(*each).is_some())
                    .map_or(rest.len(), |(at, _)| at);
                let (other, after) = rest.split_at(end);
                session.call(InsertText { text: other }).await?;
                rest = after;
                continue;
            };
            let mut events = Vec::new();
            let mut taken = 0;
            for key in rest.chars().map_while(keys::of_character).take(BATCH / 2) {
                let modifiers = if key.shift { SHIFT } else { 0 };
                let kind = if key.text.is_some() { KeyEventType::KeyDown } else { KeyEventType::RawKeyDown };
                events.push(event(&key, kind, modifiers, key.text));
                events.push(event(&key, KeyEventType::KeyUp, modifiers, None));
                taken += 1;
            }
            send(session, events).await?;
            rest = rest.char_indices().nth(taken).and_then(|(at, _)| rest.get(at..)).unwrap_or_default();
        }
        Ok(())
    }
}

const SHIFT: Modifiers = 8;

fn bit(key: &Key) -> Modifiers {
    match key.meaning {
        "Alt" => 1,
        "Control" => 2,
        "Meta" => 4,
        "Shift" => SHIFT,
        _ => 0,
    }
}

fn event(
    key: &Key,
    kind: KeyEventType,
    modifiers: Modifiers,
    text: Option<&'static str>,
) -> DispatchKeyEvent<'static> {
    DispatchKeyEvent {
        kind,
        modifiers: Some(modifiers),
        text,
        unmodified_text: text,
        code: Some(key.code),
        key: Some(key.meaning),
        windows_virtual_key_code: Some(key.number),
        native_virtual_key_code: Some(key.number),
        location: Some(key.location),
        ..DispatchKeyEvent::default()
    }
}

/// All of them leave at once, in order; the browser handles one after the other.
async fn send(session: &Session, events: Vec<DispatchKeyEvent<'static>>) -> Result<(), InputError> {
    try_join_all(events.into_iter().map(|event| session.call(event))).await?;
    Ok(())
}

/// Keys that are held while one is pressed.
#[derive(Debug)]
struct Chord {
    held: Vec<Key>,
    last: Key,
}

impl Chord {
    fn parse(text: &str) -> Result<Self, InputError> {
        let find = |name: &str| keys::find(name).ok_or_else(|| InputError::UnknownKey(name.to_owned()));
        // The last key may be the plus sign itself.
        let (before, last) = match text.strip_suffix('+') {
            Some(before) if before.is_empty() || before.ends_with('+') => {
                (before.strip_suffix('+').unwrap_or_default(), "+")
            }
            _ => text.rsplit_once('+').unwrap_or(("", text)),
        };
        let mut held =
            before.split('+').filter(|name| !name.is_empty()).map(find).collect::<Result<Vec<_>, _>>()?;
        let mut last = find(last)?;
        let shifted = held.iter().any(|key| key.meaning == "Shift");
        if shifted && let Some(upper) = upper(&last) {
            last = upper;
        } else if last.shift && !shifted {
            held.extend(keys::find("Shift"));
        }
        Ok(Self { held, last })
    }
}

/// The meaning of a key with Shift.
fn upper(key: &Key) -> Option<Key> {
    let letter = key.meaning.chars().next().filter(|_| key.meaning.len() == 1)?;
    letter.is_ascii_lowercase().then(|| keys::find(&letter.to_ascii_uppercase().to_string())).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> (Vec<&'static str>, &'static str) {
        let chord = Chord::parse(text).unwrap();
        (chord.held.iter().map(|key| key.meaning).collect(), chord.last.meaning)
    }

    #[test]
    fn chords_are_read_from_left_to_right() {
        assert_eq!(parse("Enter"), (vec![], "Enter"));
        assert_eq!(parse("Control+a"), (vec!["Control"], "a"));
        assert_eq!(parse("ctrl+Shift+k"), (vec!["Control", "Shift"], "K"));
        assert_eq!(parse("Control++"), (vec!["Control", "Shift"], "+"));
        assert_eq!(parse("+"), (vec!["Shift"], "+"));
        assert_eq!(parse("?"), (vec!["Shift"], "?"));
        assert!(matches!(Chord::parse("Control+Nope"), Err(InputError::UnknownKey(name)) if name == "Nope"));
        assert!(matches!(Chord::parse(""), Err(InputError::UnknownKey(_))));
    }
}
