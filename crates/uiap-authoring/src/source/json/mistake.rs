//! What is wrong with the punctuation of a JSON text, and how to go on.

use super::super::build::Text;
use super::super::span::Span;
use super::{Halt, Parser};
use crate::diagnostic::{Diagnostic, Fix, codes};

impl Parser<'_> {
    /// Reports a mistake and goes on, until there are too many.
    pub(super) fn mistake(&mut self, diagnostic: Diagnostic) -> Result<(), Halt> {
        self.builder.report(diagnostic);
        self.syntax_errors += 1;
        if self.syntax_errors < self.max_syntax_errors { Ok(()) } else { Err(Halt) }
    }

    /// Reports a mistake after which nothing can be said.
    pub(super) fn fatal<T>(&mut self, diagnostic: Diagnostic) -> Result<T, Halt> {
        self.builder.report(diagnostic);
        Err(Halt)
    }

    pub(super) fn not_json(&self, message: String, span: Span) -> Diagnostic {
        Diagnostic::new(codes::JSON_SYNTAX, message, self.file(), span)
    }

    /// Skips a comment and reports it. False when the slash or hash is something else.
    pub(super) fn comment(&mut self) -> Result<bool, Halt> {
        let start = self.pos;
        let rest = self.text.get(start..).unwrap_or_default();
        let length = if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("//") || rest.starts_with('#') {
            rest.find('\n').unwrap_or(rest.len())
        } else {
            return Ok(false);
        };
        self.pos += length;
        let visible = rest.get(..length).unwrap_or_default().trim_end().len();
        let span = Span::at(start, start + visible);
        let diagnostic = Diagnostic::new(codes::JSON_COMMENT, "JSON has no comments", self.file(), span)
            .help("remove it, or rename the file to `.yaml`")
            .fix(Fix::replace("remove the comment", self.file(), span, ""));
        self.mistake(diagnostic)?;
        Ok(true)
    }

    pub(super) fn trailing(&mut self) -> Result<(), Halt> {
        let at = self.pos;
        if matches!(self.peek(), b'}' | b']') {
            let closing = char::from(self.peek());
            return self.fatal(
                Diagnostic::new(
                    codes::UNCLOSED_BRACKET,
                    format!("`{closing}` closes nothing"),
                    self.file(),
                    Span::at(at, at + 1),
                )
                .help("remove it"),
            );
        }
        let end = self.char_end(at);
        self.fatal(
            Diagnostic::new(
                codes::JSON_TRAILING,
                "text after the end of the JSON value",
                self.file(),
                Span::at(at, end),
            )
            .label("the value ended before this")
            .help("a JSON file holds one value; put several into an array"),
        )
    }

    /// One or more commas too many, up to the next member or the end of the container.
    pub(super) fn extra_commas(&mut self, first: usize, closing: u8) -> Result<(), Halt> {
        let mut last = first;
        while self.peek() == b',' {
            last = self.pos;
            self.pos += 1;
            self.space()?;
        }
        let trailing = self.peek() == closing;
        let (from, message) =
            if trailing { (first, "comma after the last member") } else { (last, "comma without a member") };
        let span = Span::at(from, last + 1);
        let diagnostic = Diagnostic::new(codes::JSON_COMMA, message, self.file(), span)
            .help("remove the comma")
            .fix(Fix::replace("remove the comma", self.file(), span, ""));
        self.mistake(diagnostic)
    }

    /// Something else than a comma or the right bracket follows a value.
    pub(super) fn no_comma(&mut self, closing: u8) -> Result<bool, Halt> {
        match self.peek() {
            0 => self.unclosed_bracket(None),
            b'}' | b']' => self.wrong_bracket(closing),
            b':' | b'=' => {
                let span = Span::at(self.pos, self.pos + 1);
                let message = format!("unexpected `{}`", char::from(self.peek()));
                let help = "a colon follows a key inside `{}`; remove it, or quote the text around it";
                self.fatal(self.not_json(message, span).help(help))
            }
            _ => self.missing_comma(),
        }
    }

    fn missing_comma(&mut self) -> Result<bool, Halt> {
        if std::mem::take(&mut self.forgive_comma) {
            return Ok(false);
        }
        let before = self.text.get(..self.pos).unwrap_or_default().trim_end().len();
        let span = Span::at(self.pos, self.char_end(self.pos));
        let diagnostic = Diagnostic::new(codes::JSON_COMMA, "missing comma", self.file(), span)
            .label("a comma is expected before this")
            .help("separate members by commas")
            .fix(Fix::replace("insert a comma", self.file(), Span::at(before, before), ","));
        self.mistake(diagnostic)?;
        Ok(false)
    }

    pub(super) fn unclosed_bracket<T>(&mut self, closer: Option<Span>) -> Result<T, Halt> {
        let (bracket, at) = self.open.last().copied().unwrap_or((b'{', 0));
        let diagnostic = self.bracket_mistake(bracket, at, closer);
        self.fatal(diagnostic)
    }

    fn bracket_mistake(&self, bracket: u8, at: usize, closer: Option<Span>) -> Diagnostic {
        let end = self.bytes.len();
        let (place, text) = match closer {
            Some(span) => (span, "does not match"),
            None => (Span::at(end, end), "the file ends here"),
        };
        Diagnostic::new(
            codes::UNCLOSED_BRACKET,
            format!("`{}` is never closed", char::from(bracket)),
            self.file(),
            Span::at(at, at + 1),
        )
        .label("opened here")
        .secondary(self.file(), place, text)
        .help(format!("add the missing `{}`", if bracket == b'[' { ']' } else { '}' }))
    }

    /// The bracket that closes an outer container closes this one as well; otherwise it is taken as a slip.
    fn wrong_bracket(&mut self, closing: u8) -> Result<bool, Halt> {
        let found = self.peek();
        let (bracket, at) = self.open.last().copied().unwrap_or((b'{', 0));
        let span = Span::at(self.pos, self.pos + 1);
        let diagnostic = self.bracket_mistake(bracket, at, Some(span));
        self.mistake(diagnostic)?;
        let opener = if found == b']' { b'[' } else { b'{' };
        let is_outer = self.open.iter().rev().skip(1).any(|&(byte, _)| byte == opener);
        debug_assert_ne!(found, closing, "a matching bracket is handled before");
        if is_outer {
            self.open.pop();
            self.builder.close(None);
            return Ok(true);
        }
        self.close_bracket().map(|()| true)
    }

    pub(super) fn missing_colon(&mut self) -> Result<(), Halt> {
        let span = Span::at(self.pos, self.char_end(self.pos));
        match self.peek() {
            0 => self.unclosed_bracket(None),
            b'=' => {
                self.pos += 1;
                let diagnostic = self
                    .not_json("key and value are separated by a colon".to_owned(), span)
                    .help("write a colon")
                    .fix(Fix::replace("write a colon", self.file(), span, ":"));
                self.mistake(diagnostic)
            }
            _ => {
                let diagnostic = self
                    .not_json("missing colon after the key".to_owned(), span)
                    .label("a colon is expected before this")
                    .help("write `\"key\": value`");
                self.fatal(diagnostic)
            }
        }
    }

    pub(super) fn no_key(&mut self) -> Result<Text, Halt> {
        if self.peek() == 0 {
            return self.unclosed_bracket(None);
        }
        let span = Span::at(self.pos, self.char_end(self.pos));
        let found = self.file().slice(span);
        let message = format!("expected a key, found `{found}`");
        self.fatal(self.not_json(message, span).help("keys are strings in double quotes"))
    }

    pub(super) fn no_value(&mut self) -> Result<(), Halt> {
        if self.peek() == b'\'' {
            let text = self.single_quoted()?;
            self.builder.string(text);
            return Ok(());
        }
        if self.peek() == 0 {
            if !self.open.is_empty() {
                return self.unclosed_bracket(None);
            }
            let end = self.bytes.len();
            let diagnostic = self.not_json("expected a value".to_owned(), Span::at(end, end));
            return self.fatal(diagnostic.help("write the value"));
        }
        let span = Span::at(self.pos, self.char_end(self.pos));
        let found = self.file().slice(span);
        let help = "a value is a string, a number, `true`, `false`, `null`, `[…]` or `{…}`";
        self.fatal(self.not_json(format!("expected a value, found `{found}`"), span).help(help))
    }

    fn char_end(&self, at: usize) -> usize {
        let c = self.text.get(at..).and_then(|rest| rest.chars().next());
        at + c.map_or(0, char::len_utf8)
    }
}
