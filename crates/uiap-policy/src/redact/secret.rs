//! The values that were covered, kept so that they can be found again in any other text. Bounded.

use std::collections::{HashMap, VecDeque};

use super::REDACTED;
use super::encoded::forms;

/// Shorter values would be found in innocent words.
const SHORTEST: usize = 4;
/// A longer value is looked for piece by piece.
const PIECE: usize = 256;
/// More values than this push the oldest out.
const MOST_VALUES: usize = 4096;

/// Values that must not appear.
#[derive(Clone, Debug)]
pub struct Secrets {
    /// Encoded values by their first bytes, longest first.
    needles: HashMap<[u8; 3], Vec<String>>,
    /// A bit for each pair of bytes that a needle starts with: most places of a text are dismissed by it.
    starts: Vec<u64>,
    values: VecDeque<String>,
}

impl Default for Secrets {
    fn default() -> Self {
        Self { needles: HashMap::new(), starts: vec![0; 1024], values: VecDeque::new() }
    }
}

fn pair(first: u8, second: u8) -> (usize, u64) {
    let number = usize::from(first) << 8 | usize::from(second);
    (number >> 6, 1 << (number & 63))
}

fn start(bytes: &[u8]) -> Option<[u8; 3]> {
    bytes.get(..3)?.try_into().ok()
}

impl Secrets {
    /// Remembers a value; one of fewer than four characters is not, since it would be found everywhere.
    pub fn learn(&mut self, value: &str) {
        let value = value.trim();
        if value.chars().take(SHORTEST).count() < SHORTEST {
            return;
        }
        for piece in pieces(value) {
            self.learn_piece(piece);
        }
    }

    /// How many values are known.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The text without the values, in whatever usual encoding; `None` when there was none in it.
    pub fn scrub(&self, text: &str) -> Option<String> {
        if self.needles.is_empty() {
            return None;
        }
        let mut out: Option<String> = None;
        let mut from = 0;
        let mut at = 0;
        while at < text.len() {
            let Some(length) = self.found_at(text, at) else {
                at += 1;
                continue;
            };
            let out = out.get_or_insert_with(String::new);
            out.push_str(text.get(from..at).unwrap_or_default());
            out.push_str(REDACTED);
            at += length;
            from = at;
        }
        out.map(|mut out| {
            out.push_str(text.get(from..).unwrap_or_default());
            out
        })
    }

    /// Whether one of the values is in the text.
    pub fn occurs_in(&self, text: &str) -> bool {
        (0..text.len()).any(|at| self.found_at(text, at).is_some())
    }

    fn found_at(&self, text: &str, at: usize) -> Option<usize> {
        let rest = text.as_bytes().get(at..)?;
        let [first, second, ..] = rest else { return None };
        let (word, bit) = pair(*first, *second);
        if self.starts.get(word).is_none_or(|bits| bits & bit == 0) {
            return None;
        }
        let needles = self.needles.get(&start(rest)?)?;
        needles.iter().find(|needle| rest.starts_with(needle.as_bytes())).map(String::len)
    }

    fn learn_piece(&mut self, value: &str) {
        if self.values.iter().any(|known| known == value) {
            return;
        }
        if self.values.len() >= MOST_VALUES
            && let Some(oldest) = self.values.pop_front()
        {
            self.forget(&oldest);
        }
        for form in forms(value) {
            let (Some(key), [first, second, ..]) = (start(form.as_bytes()), form.as_bytes()) else {
                continue;
            };
            let (word, bit) = pair(*first, *second);
            if let Some(bits) = self.starts.get_mut(word) {
                *bits |= bit;
            }
            let bucket = self.needles.entry(key).or_default();
            if !bucket.contains(&form) {
                bucket.push(form);
                bucket.sort_by_key(|needle| std::cmp::Reverse(needle.len()));
            }
        }
        self.values.push_back(value.to_owned());
    }

    fn forget(&mut self, value: &str) {
        for form in forms(value) {
            if let Some(key) = start(form.as_bytes())
                && let Some(bucket) = self.needles.get_mut(&key)
            {
                bucket.retain(|needle| *needle != form);
            }
        }
    }
}

/// The value in pieces of bounded length, none of them too short to be looked for.
fn pieces(value: &str) -> Vec<&str> {
    if value.len() <= 2 * PIECE {
        return vec![value];
    }
    let mut pieces = Vec::new();
    let mut rest = value;
    while rest.len() > 2 * PIECE {
        let cut = (PIECE..rest.len()).find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
        let (piece, tail) = rest.split_at(cut);
        pieces.push(piece);
        rest = tail;
    }
    pieces.push(rest);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_in_any_text_and_any_usual_encoding() {
        let mut secrets = Secrets::default();
        secrets.learn("hunter2 & co");
        let text = "a hunter2 & co b hunter2%20%26%20co c hunter2 &amp; co d aHVudGVyMiAmIGNv e";
        let scrubbed = secrets.scrub(text).unwrap();
        assert_eq!(scrubbed, "a [redacted] b [redacted] c [redacted] d [redacted] e");
        assert_eq!(secrets.scrub("nothing here"), None);
    }

    #[test]
    fn the_register_is_bounded_and_forgets_the_oldest() {
        let mut secrets = Secrets::default();
        for number in 0..=MOST_VALUES {
            secrets.learn(&format!("value-{number:06}!"));
        }
        assert_eq!(secrets.len(), MOST_VALUES);
        assert!(!secrets.occurs_in("value-000000!") && secrets.occurs_in("value-000001!"));
    }

    #[test]
    fn a_long_value_leaves_no_piece_behind() {
        let mut secrets = Secrets::default();
        let long: String = (0..700).map(|number| format!("{number:05}ä")).collect();
        secrets.learn(&long);
        let scrubbed = secrets.scrub(&format!("<{long}>")).unwrap();
        assert!(scrubbed.replace(REDACTED, "") == "<>", "{scrubbed}");
    }
}
