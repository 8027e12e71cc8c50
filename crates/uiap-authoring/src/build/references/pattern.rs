//! URL patterns and regular expressions that every engine reads, and none needs long for.
//!
//! The grammar is that of the URL Pattern standard: `:name`, `*`, `{…}`, `(regex)`, each with `?`, `+` or `*` behind it.
//! Only the form is checked, so the matching engine with its tables of domain names is not needed here; the regular
//! expressions inside are read by the parser of the linear-time engine, which knows no look-around and no
//! back-references.

use std::collections::BTreeSet;

use regex_syntax::ast::{self, Ast, RepetitionKind, RepetitionRange, Visitor, visit};

/// What is wrong with a URL pattern, if anything.
pub(super) fn url_fault(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("it is empty".to_owned());
    }
    Reader { chars: text.chars().collect(), at: 0, names: BTreeSet::new(), in_braces: false }.read().err()
}

/// What is wrong with a regular expression, if anything.
pub(super) fn regex_fault(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("it is empty".to_owned());
    }
    let parsed = match ast::parse::ParserBuilder::new().nest_limit(50).build().parse(text) {
        Ok(parsed) => parsed,
        Err(error) => return Some(in_words(error.kind())),
    };
    visit(&parsed, Repetitions::default()).err().map(str::to_owned)
}

fn in_words(kind: &ast::ErrorKind) -> String {
    match kind {
        ast::ErrorKind::UnsupportedLookAround | ast::ErrorKind::UnsupportedBackreference => {
            "look-around and back-references need more than linear time".to_owned()
        }
        ast::ErrorKind::GroupUnclosed | ast::ErrorKind::GroupUnopened | ast::ErrorKind::ClassUnclosed => {
            "its brackets do not match".to_owned()
        }
        other => other.to_string(),
    }
}

/// Looks for an unbounded repetition inside another one: linear engines do not mind, those of browsers can take
/// exponential time.
#[derive(Default)]
struct Repetitions {
    open: usize,
}

fn is_unbounded(repetition: &ast::Repetition) -> bool {
    match &repetition.op.kind {
        RepetitionKind::ZeroOrMore
        | RepetitionKind::OneOrMore
        | RepetitionKind::Range(RepetitionRange::AtLeast(_)) => true,
        RepetitionKind::ZeroOrOne | RepetitionKind::Range(_) => false,
    }
}

impl Visitor for Repetitions {
    type Output = ();
    type Err = &'static str;

    fn finish(self) -> Result<(), Self::Err> {
        Ok(())
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Self::Err> {
        if let Ast::Repetition(repetition) = ast
            && is_unbounded(repetition)
        {
            self.open += 1;
            if self.open > 1 {
                return Err("nested repetition can take exponential time");
            }
        }
        Ok(())
    }

    fn visit_post(&mut self, ast: &Ast) -> Result<(), Self::Err> {
        if let Ast::Repetition(repetition) = ast
            && is_unbounded(repetition)
        {
            self.open -= 1;
        }
        Ok(())
    }
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    names: BTreeSet<String>,
    in_braces: bool,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek();
        self.at += usize::from(next.is_some());
        next
    }

    fn read(mut self) -> Result<(), String> {
        while let Some(c) = self.next() {
            match c {
                '\\' => drop(self.next().ok_or("a backslash stands at its end")?),
                ':' if self.peek().is_some_and(is_name_start) => {
                    self.name()?;
                    if self.peek() == Some('(') {
                        self.next();
                        self.group()?;
                    } else {
                        self.skip_modifier();
                    }
                }
                '(' => self.group()?,
                '*' => self.skip_modifier(),
                '{' if self.in_braces => return Err("braces cannot stand inside braces".to_owned()),
                '{' => self.in_braces = true,
                '}' if !self.in_braces => return Err("its brackets do not match".to_owned()),
                '}' => {
                    self.in_braces = false;
                    self.skip_modifier();
                }
                ')' => return Err("its brackets do not match".to_owned()),
                '+' => return Err("`+` repeats nothing; write `\\\\+` for the character".to_owned()),
                c if c.is_whitespace() || c.is_control() => return Err("it contains a blank".to_owned()),
                _ => {}
            }
        }
        if self.in_braces { Err("its brackets do not match".to_owned()) } else { Ok(()) }
    }

    fn name(&mut self) -> Result<(), String> {
        let mut name = String::new();
        while let Some(c) = self.peek().filter(|c| is_name_start(*c) || c.is_ascii_digit()) {
            name.push(c);
            self.at += 1;
        }
        if self.names.insert(name.clone()) { Ok(()) } else { Err(format!("`:{name}` stands in it twice")) }
    }

    fn skip_modifier(&mut self) {
        self.modifier();
    }

    fn modifier(&mut self) -> Option<char> {
        let found = self.peek().filter(|c| matches!(c, '?' | '+' | '*'));
        self.at += usize::from(found.is_some());
        found
    }

    /// A regular expression up to its closing bracket, and what repeats it.
    fn group(&mut self) -> Result<(), String> {
        let regex = self.group_text()?;
        if regex.starts_with('?') {
            return Err(if regex.starts_with("?:") {
                "a group starts with its content; the brackets capture already".to_owned()
            } else {
                "look-around and back-references need more than linear time".to_owned()
            });
        }
        let whole = match self.modifier() {
            Some('+' | '*') => format!("(?:{regex})+"),
            _ => regex.clone(),
        };
        match regex_fault(&regex).or_else(|| regex_fault(&whole)) {
            Some(fault) => Err(fault),
            None if has_capture(&regex) => Err("a group inside a group is written `(?:…)`".to_owned()),
            None => Ok(()),
        }
    }

    fn group_text(&mut self) -> Result<String, String> {
        let (mut depth, mut in_class) = (1, false);
        let mut regex = String::new();
        while let Some(c) = self.next() {
            match c {
                '\\' => {
                    regex.push(c);
                    regex.extend(self.next());
                    continue;
                }
                '[' => in_class = true,
                ']' => in_class = false,
                '(' if !in_class => depth += 1,
                ')' if !in_class => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(regex);
            }
            regex.push(c);
        }
        Err("its brackets do not match".to_owned())
    }
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

fn has_capture(regex: &str) -> bool {
    struct Captures;
    impl Visitor for Captures {
        type Output = ();
        type Err = ();
        fn finish(self) -> Result<(), ()> {
            Ok(())
        }
        fn visit_pre(&mut self, ast: &Ast) -> Result<(), ()> {
            match ast {
                Ast::Group(group) if group.is_capturing() => Err(()),
                _ => Ok(()),
            }
        }
    }
    ast::parse::Parser::new().parse(regex).is_ok_and(|ast| visit(&ast, Captures).is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Case: AUTH-156
    #[test]
    fn patterns_of_the_standard_are_read() {
        for good in [
            "/videos/:id",
            "/videos/:id(\\d+)",
            "/list/*",
            "/a{/b}?/c",
            "https://*.example.com/videos/:id?tab=*",
            "/(en|de)/home",
            "/:lang([a-z]{2})?/x",
            "/a\\(b\\)",
            "/:file.:ext",
            "*",
            "/(a|b)+",
            "http{s}?://localhost:8080/*",
        ] {
            assert_eq!(url_fault(good), None, "{good}");
        }
    }

    /// Case: AUTH-156
    #[test]
    fn what_no_engine_reads_or_some_read_for_ever_is_refused() {
        for (bad, why) in [
            ("", "empty"),
            ("/a(", "brackets"),
            ("/a)", "brackets"),
            ("/a{b", "brackets"),
            ("/a}", "brackets"),
            ("/{a{b}}", "inside braces"),
            ("/:id/:id", "twice"),
            ("/(?=x)", "linear time"),
            ("/(?:a)", "capture already"),
            ("/((?:a)\\1)", "linear time"),
            ("/((a)b)", "(?:"),
            ("/(a+)+", "exponential"),
            ("/((?:a+)+)", "exponential"),
            ("/([a-z)", "brackets"),
            ("/a b", "blank"),
            ("/a\\", "backslash"),
            ("/a++", "repeats nothing"),
        ] {
            let fault = url_fault(bad).unwrap_or_default();
            assert!(!fault.is_empty() && fault.contains(why), "{bad}: {fault}");
        }
        assert!(regex_fault("(a+)+").is_some_and(|fault| fault.contains("exponential")));
        assert!(regex_fault("(a)\\1").is_some_and(|fault| fault.contains("linear")));
        assert!(regex_fault(&"(".repeat(10_000)).is_some());
        assert_eq!(regex_fault("^[a-z]{2,4}-\\d+$"), None);
    }
}
