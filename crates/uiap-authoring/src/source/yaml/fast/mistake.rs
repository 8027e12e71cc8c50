//! What is wrong, in words that name the habit behind it.

use super::{Scanner, Stop};
use crate::diagnostic::{Code, Diagnostic, Fix, codes, shown};
use crate::source::span::Span;

impl Scanner<'_, '_> {
    fn mistake(&self, code: Code, message: impl Into<String>, start: usize, end: usize) -> Diagnostic {
        Diagnostic::new(code, message, self.builder.file(), Span::at(start, end))
    }

    fn char_end(&self, at: usize) -> usize {
        let c = self.text.get(at..).and_then(|rest| rest.chars().next());
        at + c.filter(|c| !matches!(c, '\n' | '\r')).map_or(0, char::len_utf8)
    }

    /// The text from `at` to the end of the line without a comment or trailing space.
    fn rest_of_line(&self, at: usize) -> (usize, &str) {
        let rest = self.text.get(at..).unwrap_or_default();
        let line = rest.split(['\n', '\r']).next().unwrap_or_default();
        let line = line.find(" #").map_or(line, |comment| line.get(..comment).unwrap_or_default()).trim_end();
        (at + line.len(), line)
    }

    /// Puts the rest of the line into quotes, when no quote or backslash stands in the way.
    fn quoting_fix(&self, start: usize) -> Option<Fix> {
        let (end, text) = self.rest_of_line(start);
        let is_simple = !text.is_empty() && !text.contains(['"', '\\']);
        is_simple.then(|| {
            Fix::replace(
                "put it into quotes",
                self.builder.file(),
                Span::at(start, end),
                format!("\"{text}\""),
            )
        })
    }

    pub(super) fn tab(&self, at: usize) -> Stop {
        let end = self.skip_blanks(at);
        let tabs = self.text.get(at..end).unwrap_or_default().matches('\t').count();
        let spaces = self.text.get(at..end).unwrap_or_default().replace('\t', "  ");
        stop(
            self.mistake(codes::TAB_INDENTATION, "tab in the indentation", at, end)
                .label(if tabs == 1 { "a tab (`\\t`)".to_owned() } else { format!("{tabs} tabs (`\\t`)") })
                .help("indent with spaces")
                .fix(Fix::replace("use spaces", self.builder.file(), Span::at(at, end), spaces)),
        )
    }

    /// A tab between an indicator and what follows.
    pub(super) fn tab_after(&self, at: usize) -> Stop {
        let end = self.skip_blanks(at);
        let file = self.builder.file();
        stop(
            self.mistake(codes::TAB_INDENTATION, "a tab separates the value", at, end)
                .label("a tab")
                .help("use a space")
                .fix(Fix::replace("use a space", file, Span::at(at, end), " ")),
        )
    }

    pub(super) fn empty_entry(&self, at: usize) -> Stop {
        let file = self.builder.file();
        stop(
            self.mistake(codes::YAML_SYNTAX, "a comma without an entry before it", at, at + 1)
                .help("remove the comma, or write `null`")
                .fix(Fix::replace("remove the comma", file, Span::at(at, at + 1), "")),
        )
    }

    pub(super) fn flow_dash(&self, at: usize) -> Stop {
        stop(
            self.mistake(codes::YAML_SYNTAX, "`-` starts no entry inside brackets", at, at + 1)
                .help("separate entries by commas, or quote the dash if it is text"),
        )
    }

    pub(super) fn trailing(&self, at: usize) -> Stop {
        let (end, text) = self.rest_of_line(at);
        if text.starts_with([']', '}']) {
            return self.reserved(at);
        }
        if text.starts_with('#') {
            let file = self.builder.file();
            return stop(
                self.mistake(codes::YAML_SYNTAX, "a comment needs a space before its `#`", at, at + 1)
                    .help("insert a space")
                    .fix(Fix::replace("insert a space", file, Span::at(at, at), " ")),
            );
        }
        stop(
            self.mistake(codes::YAML_SYNTAX, "text after the end of the value", at, end.max(at))
                .label("the value ended before this")
                .help("quote the whole value, or put the rest on a line of its own"),
        )
    }

    /// A line that is indented further than the entries of the collection above it.
    pub(super) fn too_far(&self, indent: i32) -> Stop {
        let (end, _) = self.rest_of_line(self.pos);
        let found = self.col + 1;
        stop(
            self.mistake(
                codes::BAD_INDENTATION,
                format!(
                    "indented to column {found}, but the entries around it start in column {}",
                    indent + 1
                ),
                self.pos,
                end,
            )
            .label("no open mapping or sequence starts in this column")
            .help("indent the line like its siblings"),
        )
    }

    /// Content left of where the document began.
    pub(super) fn left_over(&self) -> Stop {
        let (end, text) = self.rest_of_line(self.pos);
        let diagnostic = self.mistake(
            codes::BAD_INDENTATION,
            format!("`{}` starts in column {}, where nothing is open", shown(text), self.col + 1),
            self.pos,
            end,
        );
        stop(diagnostic.label("it belongs to nothing above").help("indent the line like its siblings"))
    }

    pub(super) fn reserved(&self, at: usize) -> Stop {
        let c = char::from(self.byte(at));
        let code = if matches!(c, ']' | '}') { codes::UNCLOSED_BRACKET } else { codes::RESERVED_CHARACTER };
        let message = match c {
            ']' | '}' => format!("`{c}` closes nothing"),
            '`' => "unquoted text cannot start with a backtick".to_owned(),
            _ => format!("unquoted text cannot start with `{c}`"),
        };
        let mut diagnostic = self.mistake(code, message, at, at + 1).help("put the text into quotes");
        if code == codes::RESERVED_CHARACTER
            && let Some(fix) = self.quoting_fix(at)
        {
            diagnostic = diagnostic.fix(fix);
        }
        stop(diagnostic)
    }

    pub(super) fn stray_dash(&self, at: usize) -> Stop {
        stop(
            self.mistake(codes::BAD_INDENTATION, "a list entry between the keys of a mapping", at, at + 1)
                .label("a key is expected in this column")
                .help("indent the entry below the key that it belongs to"),
        )
    }

    pub(super) fn inline_dash(&self, at: usize) -> Stop {
        stop(
            self.mistake(codes::YAML_SYNTAX, "a list cannot start on the line of its key", at, at + 1)
                .help("put `- ` on the next line, write `[a, b]`, or quote the text"),
        )
    }

    /// A line in a mapping without a colon.
    pub(super) fn no_colon(&self, start: usize) -> Stop {
        let (end, text) = self.rest_of_line(start);
        if let Some(colon) = missing_space(text) {
            return self.no_space(start + colon);
        }
        stop(
            self.mistake(
                codes::YAML_SYNTAX,
                format!("expected `key: value`, found `{}`", shown(text)),
                start,
                end,
            )
            .label("there is no colon")
            .help("add a colon and a space after the key, or indent the line if it continues the text above"),
        )
    }

    pub(super) fn no_space(&self, colon: usize) -> Stop {
        let file = self.builder.file();
        stop(
            self.mistake(codes::MISSING_SPACE, "missing space after the colon", colon, colon + 1)
                .help("write a space between the colon and the value")
                .fix(Fix::replace("insert a space", file, Span::at(colon + 1, colon + 1), " ")),
        )
    }

    /// `title: Note: read this`
    pub(super) fn inline_colon(&self, start: usize, colon: usize) -> Stop {
        let mut diagnostic = self
            .mistake(codes::UNEXPECTED_COLON, "a second `: ` on one line", colon, colon + 1)
            .label("unquoted text cannot contain `: `")
            .help("put the text into quotes");
        if let Some(fix) = self.quoting_fix(start) {
            diagnostic = diagnostic.fix(fix);
        }
        stop(diagnostic)
    }

    /// A key below text that would swallow it: `line` is where it begins on the line from `line_start`.
    pub(super) fn continued_colon(&self, start: usize, line_start: usize, line: usize, colon: usize) -> Stop {
        let first_line = self.text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        // In the same column it is a sibling, and the text above lacks its colon.
        if start - first_line == line - line_start {
            return self.no_colon(start);
        }
        let file = self.builder.file();
        let (value_end, _) = self.rest_of_line(start);
        let key = shown(self.text.get(line..colon).unwrap_or_default());
        stop(
            self.mistake(
                codes::BAD_INDENTATION,
                format!("key `{key}` is indented below a value that already has text"),
                line,
                colon + 1,
            )
            .label("read as a continuation of the text above")
            .secondary(file, Span::at(start, value_end), "this value has text")
            .help("start the key in the column of its siblings, or quote the text if it goes on here"),
        )
    }

    pub(super) fn unclosed_quote(&self, start: usize) -> Stop {
        let quote = char::from(self.byte(start));
        let (end, _) = self.rest_of_line(start);
        stop(
            self.mistake(codes::UNCLOSED_STRING, format!("`{quote}` is never closed"), start, end)
                .label("the text starts here")
                .help("add the closing quote"),
        )
    }

    /// Quoted text reaches a line that is not indented enough to belong to it.
    pub(super) fn quote_runs_on(&self, start: usize, at: usize) -> Stop {
        let quote = char::from(self.byte(start));
        let (end, _) = self.rest_of_line(start);
        stop(
            self.mistake(codes::UNCLOSED_STRING, format!("`{quote}` is not closed on its line"), start, end)
                .label("the text starts here")
                .secondary(self.builder.file(), Span::at(at, self.char_end(at)), "and would go on here")
                .help("add the closing quote, or indent the following lines of the text"),
        )
    }

    pub(super) fn bad_escape(&self, at: usize) -> Stop {
        let end = self.char_end(at + 1);
        let escape = self.text.get(at..end).unwrap_or_default();
        if let Some(diagnostic) = self.surrogate_pair(at) {
            return stop(diagnostic);
        }
        let (end, message) = match escape {
            "\\x" | "\\u" | "\\U" => self.bad_code(at, escape),
            _ => (end, format!("unknown escape `{escape}`")),
        };
        stop(
            self.mistake(codes::INVALID_ESCAPE, message, at, end)
                .help("write `\\\\` for a backslash, or use single quotes, which know no escapes"),
        )
    }

    /// JSON writes characters beyond U+FFFF as two escapes, YAML as one.
    fn surrogate_pair(&self, at: usize) -> Option<Diagnostic> {
        let half = |at: usize| {
            let hex = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
            u16::from_str_radix(hex, 16).ok()
        };
        let c = char::decode_utf16([half(at)?, half(at + 6)?]).next()?.ok()?;
        let span = Span::at(at, at + 12);
        let code = c as u32;
        Some(
            self.mistake(codes::INVALID_ESCAPE, "YAML has no surrogate pairs", at, at + 12)
                .help(format!("write the character itself, or `\\U{code:08X}`"))
                .fix(Fix::replace("write one escape", self.builder.file(), span, format!("\\U{code:08X}"))),
        )
    }

    fn bad_code(&self, at: usize, escape: &str) -> (usize, String) {
        let wanted = match escape {
            "\\x" => 2,
            "\\u" => 4,
            _ => 8,
        };
        let rest = self.text.get(at + 2..).unwrap_or_default();
        let digits = rest.bytes().take(wanted).take_while(u8::is_ascii_hexdigit).count();
        let end = at + 2 + digits;
        if digits < wanted {
            return (end, format!("`{escape}` needs {wanted} hexadecimal digits"));
        }
        let code = self.text.get(at..end).unwrap_or_default();
        (end, format!("escape `{code}` names no character"))
    }

    pub(super) fn unclosed_flow(&self, start: usize) -> Stop {
        let bracket = char::from(self.byte(start));
        let closing = if bracket == '[' { ']' } else { '}' };
        let end = self.bytes.len();
        stop(
            self.mistake(codes::UNCLOSED_BRACKET, format!("`{bracket}` is never closed"), start, start + 1)
                .label("opened here")
                .secondary(self.builder.file(), Span::at(end, end), "the file ends here")
                .help(format!("add the missing `{closing}`")),
        )
    }

    /// A line inside brackets that is not indented beyond what holds the brackets.
    pub(super) fn flow_too_far_left(&self, start: usize, at: usize) -> Stop {
        let bracket = char::from(self.byte(start));
        let is_closing = matches!(self.byte(at), b']' | b'}');
        let file = self.builder.file();
        if is_closing {
            return stop(
                self.mistake(codes::BAD_INDENTATION, "the closing bracket is not indented", at, at + 1)
                    .secondary(file, Span::at(start, start + 1), "opened here")
                    .help("indent it by at least one space more than the key")
                    .fix(Fix::replace("indent it", file, Span::at(at, at), "  ")),
            );
        }
        stop(
            self.mistake(codes::UNCLOSED_BRACKET, format!("`{bracket}` is not closed"), start, start + 1)
                .label("opened here")
                .secondary(file, Span::at(at, self.char_end(at)), "this line is not indented below it")
                .help("close the bracket, or indent the lines inside it"),
        )
    }

    pub(super) fn no_separator(&self, start: usize, closing: char) -> Stop {
        let at = self.pos;
        if self.byte(at) == 0 {
            return self.unclosed_flow(start);
        }
        let found = shown(self.text.get(at..self.char_end(at)).unwrap_or_default());
        let message = format!("expected `,` or `{closing}`, found `{found}`");
        stop(
            self.mistake(codes::UNCLOSED_BRACKET, message, at, self.char_end(at))
                .secondary(self.builder.file(), Span::at(start, start + 1), "inside this bracket")
                .help("separate entries by commas, and quote text that contains brackets"),
        )
    }

    pub(super) fn bad_block_header(&self, start: usize, at: usize) -> Stop {
        let indicator = char::from(self.byte(start));
        let (end, _) = self.rest_of_line(at);
        stop(
            self.mistake(
                codes::BLOCK_SCALAR,
                format!("text after `{indicator}` must start on the next line"),
                at,
                end.max(at),
            )
            .secondary(self.builder.file(), Span::at(start, start + 1), "block text is announced here")
            .help("only `+`, `-`, a digit from 1 to 9 and a comment may follow; quote the text otherwise"),
        )
    }
}

fn stop(diagnostic: Diagnostic) -> Stop {
    Stop::Mistake(Box::new(diagnostic))
}

/// Where a space is missing in `key:value`. A URL is not a key with a value.
fn missing_space(text: &str) -> Option<usize> {
    let colon = text.find(':')?;
    let key = text.get(..colon)?;
    let is_name = !key.is_empty()
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let after = text.get(colon + 1..)?;
    (is_name && !after.is_empty() && !after.starts_with("//")).then_some(colon)
}
