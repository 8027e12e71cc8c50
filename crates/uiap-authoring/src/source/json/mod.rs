//! Strict JSON (RFC 8259) to the tree, with errors that name the habit behind them.
//!
//! The parser goes on after a mistake whose repair is obvious: a trailing comma, a comment, a missing quote.
//! It gives a tree only for text without such mistakes.

mod mistake;
mod string;
mod word;

use std::sync::Arc;

use super::build::{TooDeep, TreeBuilder};
use super::doc::Tag;
use super::file::SourceFile;
use super::limits::Limits;
use super::parse::Parsed;
use super::span::Span;
use crate::diagnostic::{Diagnostic, codes};

/// Parsing cannot go on; what there is to say has been reported.
pub(super) struct Halt;

impl From<TooDeep> for Halt {
    fn from(_: TooDeep) -> Self {
        Self
    }
}

/// Parses a JSON source.
pub(super) fn parse(file: &Arc<SourceFile>, limits: &Limits) -> Parsed {
    let mut parser = Parser::new(file, limits);
    let halted = parser.document().is_err();
    let broken = halted || parser.syntax_errors > 0;
    let (doc, diagnostics) = parser.builder.finish();
    Parsed { doc: (!broken).then_some(doc), diagnostics }
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    pos: usize,
    builder: TreeBuilder<'a>,
    /// Opening brackets that wait for their partner.
    open: Vec<(u8, usize)>,
    syntax_errors: u32,
    max_syntax_errors: u32,
    /// Set after a mistake that probably swallowed the next comma.
    forgive_comma: bool,
}

impl<'a> Parser<'a> {
    fn new(file: &'a Arc<SourceFile>, limits: &Limits) -> Self {
        let text = file.text();
        Self {
            text,
            bytes: text.as_bytes(),
            pos: if text.starts_with('\u{feff}') { 3 } else { 0 },
            builder: TreeBuilder::new(file, limits),
            open: Vec::new(),
            syntax_errors: 0,
            max_syntax_errors: limits.max_syntax_errors,
            forgive_comma: false,
        }
    }

    fn file(&self) -> &'a Arc<SourceFile> {
        self.builder.file()
    }

    /// The current byte; 0 at the end, which cannot be a byte of the text: control characters were refused.
    #[inline]
    fn peek(&self) -> u8 {
        self.at(self.pos)
    }

    #[inline]
    fn at(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn document(&mut self) -> Result<(), Halt> {
        self.space()?;
        if self.peek() == 0 {
            return self.fatal(
                Diagnostic::new(
                    codes::EMPTY_SOURCE,
                    "the file holds no JSON value",
                    self.file(),
                    Span::default(),
                )
                .help("a manifest has `apiVersion`, `kind`, `metadata` and `spec`"),
            );
        }
        self.value()?;
        self.space()?;
        if self.peek() == 0 { Ok(()) } else { self.trailing() }
    }

    fn value(&mut self) -> Result<(), Halt> {
        match self.peek() {
            b'"' => {
                let text = self.string()?;
                self.builder.string(text);
                Ok(())
            }
            b'{' => self.object(),
            b'[' => self.array(),
            b'-' | b'+' | b'.' | b'0'..=b'9' => self.number(),
            _ => self.word(),
        }
    }

    fn array(&mut self) -> Result<(), Halt> {
        self.open_bracket(Tag::Seq)?;
        self.space()?;
        if self.peek() == b']' {
            return self.close_bracket();
        }
        loop {
            self.value()?;
            if self.after_member(b']')? {
                return Ok(());
            }
        }
    }

    fn object(&mut self) -> Result<(), Halt> {
        self.open_bracket(Tag::Map)?;
        self.space()?;
        if self.peek() == b'}' {
            return self.close_bracket();
        }
        loop {
            self.key()?;
            self.space()?;
            self.colon()?;
            self.space()?;
            self.value()?;
            if self.after_member(b'}')? {
                return Ok(());
            }
        }
    }

    fn key(&mut self) -> Result<(), Halt> {
        let key = if self.peek() == b'"' { self.string()? } else { self.bare_key()? };
        self.builder.key(key);
        Ok(())
    }

    fn colon(&mut self) -> Result<(), Halt> {
        if self.peek() == b':' {
            self.pos += 1;
            return Ok(());
        }
        self.missing_colon()
    }

    /// After a value: on to the next member, or the end of the container (true).
    fn after_member(&mut self, closing: u8) -> Result<bool, Halt> {
        self.space()?;
        let byte = self.peek();
        if byte == b',' {
            let comma = self.pos;
            self.pos += 1;
            self.space()?;
            if self.peek() != closing && self.peek() != b',' {
                return Ok(false);
            }
            self.extra_commas(comma, closing)?;
            return if self.peek() == closing { self.close_bracket().map(|()| true) } else { Ok(false) };
        }
        if byte == closing {
            return self.close_bracket().map(|()| true);
        }
        self.no_comma(closing)
    }

    fn open_bracket(&mut self, tag: Tag) -> Result<(), Halt> {
        self.builder.open(tag, Span::at(self.pos, self.pos).start)?;
        self.open.push((self.peek(), self.pos));
        self.pos += 1;
        Ok(())
    }

    #[expect(clippy::unnecessary_wraps, reason = "ends a chain of steps that can fail")]
    fn close_bracket(&mut self) -> Result<(), Halt> {
        self.open.pop();
        self.pos += 1;
        self.builder.close(Some(Span::at(self.pos, self.pos).start));
        Ok(())
    }

    #[inline]
    fn space(&mut self) -> Result<(), Halt> {
        let byte = self.peek();
        if byte > b' ' && byte != b'/' && byte != b'#' { Ok(()) } else { self.skip_space() }
    }

    fn skip_space(&mut self) -> Result<(), Halt> {
        loop {
            match self.peek() {
                b' ' | b'\n' | b'\r' | b'\t' => self.pos += 1,
                b'/' | b'#' => {
                    if !self.comment()? {
                        return Ok(());
                    }
                }
                _ => return Ok(()),
            }
        }
    }
}
