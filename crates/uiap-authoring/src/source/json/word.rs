//! JSON numbers and literals, and the words that people write instead of them.

use super::super::build::Text;
use super::super::number::{NumberProblem, fraction, whole};
use super::super::span::Span;
use super::{Halt, Parser};
use crate::diagnostic::{Diagnostic, Fix, codes, shown};

impl Parser<'_> {
    pub(super) fn number(&mut self) -> Result<(), Halt> {
        let start = self.pos;
        let is_whole = self.number_token();
        let end = self.pos;
        let text = self.text.get(start..end).unwrap_or_default();
        if self.word_end(end) != end || !is_number(text) {
            return self.bad_number(start);
        }
        let span = Span::at(start, end);
        match if is_whole { whole(text) } else { fraction(text) } {
            Ok(number) => self.builder.number(span, number),
            Err(problem) => self.lossy_number(span, problem),
        }
        Ok(())
    }

    /// Moves behind everything that looks like a number; false when there is a fraction or an exponent.
    fn number_token(&mut self) -> bool {
        let mut is_whole = true;
        loop {
            match self.peek() {
                b'0'..=b'9' | b'-' => {}
                b'.' | b'e' | b'E' | b'+' => is_whole = false,
                _ => return is_whole,
            }
            self.pos += 1;
        }
    }

    /// The value is well-formed, so the tree stays usable; the finding makes the result invalid.
    fn lossy_number(&mut self, span: Span, problem: NumberProblem) {
        let diagnostic = problem.diagnostic(self.file(), span);
        self.builder.report(diagnostic);
        self.builder.null(span);
    }

    fn bad_number(&mut self, start: usize) -> Result<(), Halt> {
        self.pos = self.word_end(start).max(self.pos);
        let span = Span::at(start, self.pos);
        let raw = self.file().slice(span);
        let (help, fix) = repair(raw);
        let description = format!("write `{}`", shown(&fix));
        let diagnostic = Diagnostic::new(
            codes::INVALID_NUMBER,
            format!("`{}` is not a JSON number", shown(raw)),
            self.file(),
            span,
        )
        .help(help)
        .fix(Fix::replace(description, self.file(), span, fix));
        self.builder.null(span);
        self.mistake(diagnostic)
    }

    /// A literal, or something that is not JSON.
    pub(super) fn word(&mut self) -> Result<(), Halt> {
        let start = self.pos;
        let end = self.word_end(start);
        let span = Span::at(start, end);
        match self.text.get(start..end).unwrap_or_default() {
            "true" => self.builder.bool(span, true),
            "false" => self.builder.bool(span, false),
            "null" => self.builder.null(span),
            "" => return self.no_value(),
            word => return self.foreign_word(word, span),
        }
        self.pos = end;
        Ok(())
    }

    pub(super) fn word_end(&self, start: usize) -> usize {
        let rest = self.bytes.get(start..).unwrap_or_default();
        let stop = |byte: &u8| {
            !(byte.is_ascii_alphanumeric()
                || matches!(byte, b'_' | b'-' | b'+' | b'.' | b'$')
                || *byte >= 0x80)
        };
        start + rest.iter().position(stop).unwrap_or(rest.len())
    }

    fn foreign_word(&mut self, word: &str, span: Span) -> Result<(), Halt> {
        self.pos = span.end as usize;
        let diagnostic = match word {
            "True" | "TRUE" | "False" | "FALSE" | "Null" | "NULL" => {
                let right = word.to_ascii_lowercase();
                self.not_json(format!("`{word}` is not JSON"), span)
                    .help(format!("write `{right}`"))
                    .fix(Fix::replace(format!("write `{right}`"), self.file(), span, right))
            }
            "None" | "undefined" | "nil" => self
                .not_json(format!("`{word}` is not JSON"), span)
                .help("write `null`, or leave the member out")
                .fix(Fix::replace("write `null`", self.file(), span, "null")),
            "NaN" | "Infinity" => Diagnostic::new(
                codes::INVALID_NUMBER,
                format!("`{word}` is not a JSON number"),
                self.file(),
                span,
            )
            .help("leave the member out, or write a real limit"),
            _ => self
                .not_json(format!("`{}` must be quoted", shown(word)), span)
                .help("put text into double quotes")
                .fix(Fix::replace("quote it", self.file(), span, format!("\"{word}\""))),
        };
        self.builder.null(span);
        self.mistake(diagnostic)
    }

    /// A key without double quotes.
    pub(super) fn bare_key(&mut self) -> Result<Text, Halt> {
        let start = self.pos;
        if self.peek() == b'\'' {
            return self.single_quoted();
        }
        let end = self.word_end(start);
        if end == start {
            return self.no_key();
        }
        self.pos = end;
        let span = Span::at(start, end);
        let word = self.file().slice(span);
        let diagnostic = self
            .not_json(format!("key `{}` must be quoted", shown(word)), span)
            .help("put keys into double quotes")
            .fix(Fix::replace("quote it", self.file(), span, format!("\"{word}\"")));
        self.mistake(diagnostic)?;
        Ok(Text::verbatim(span))
    }

    /// A string in single quotes; it ends with its quote or with the line.
    pub(super) fn single_quoted(&mut self) -> Result<Text, Halt> {
        let start = self.pos;
        let rest = self.bytes.get(start + 1..).unwrap_or_default();
        let length = rest.iter().position(|&byte| matches!(byte, b'\'' | b'\n' | b'\r'));
        let inner_end = start + 1 + length.unwrap_or(rest.len());
        self.pos = if self.at(inner_end) == b'\'' { inner_end + 1 } else { inner_end };
        let span = Span::at(start, self.pos);
        let inner = self.text.get(start + 1..inner_end).unwrap_or_default();
        let mut diagnostic = self
            .not_json("strings are written in double quotes".to_owned(), span)
            .help("replace the single quotes by double quotes");
        if !inner.contains(['"', '\\']) {
            let fix = Fix::replace("use double quotes", self.file(), span, format!("\"{inner}\""));
            diagnostic = diagnostic.fix(fix);
        }
        self.mistake(diagnostic)?;
        Ok(Text::quoted(span))
    }
}

/// What to do about something that only looks like a number, and what to write instead.
fn repair(raw: &str) -> (&'static str, String) {
    let (sign, digits) = match raw.strip_prefix(['-', '+']) {
        Some(digits) => (if raw.starts_with('-') { "-" } else { "" }, digits),
        None => ("", raw),
    };
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    if let Some(number) = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()) {
        return ("write the number in decimal digits", format!("{sign}{number}"));
    }
    let stripped = digits.trim_start_matches('0');
    let candidates = [
        (format!("{sign}{digits}"), "a number has no plus sign"),
        (format!("{sign}{stripped}"), "remove the leading zeros, or quote it if it is a name"),
        (format!("{sign}0{digits}"), "a digit stands before the dot"),
        (format!("{sign}{digits}0"), "a digit stands behind the dot"),
    ];
    for (candidate, help) in candidates {
        if is_number(&candidate) && candidate != raw {
            return (help, candidate);
        }
    }
    (
        "a number is digits with an optional sign, fraction and exponent; quote it if it is text",
        format!("\"{raw}\""),
    )
}

/// The number grammar of RFC 8259, section 6.
fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(unsigned);
    if whole == 0 || (whole > 1 && unsigned.starts_with('0')) {
        return false;
    }
    let mut rest = unsigned.get(whole..).unwrap_or_default();
    if let Some(fraction) = rest.strip_prefix('.') {
        let length = digits(fraction);
        if length == 0 {
            return false;
        }
        rest = fraction.get(length..).unwrap_or_default();
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}
