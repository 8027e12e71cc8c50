//! JSON Pointers (RFC 6901) built on the way down, turned into text only when something is wrong.

use std::fmt::Write;

/// One step of a path.
#[derive(Clone, Copy)]
pub enum Step<'a> {
    /// Member of an object.
    Key(&'a str),
    /// Item of an array.
    Index(usize),
}

/// The way from the root to a node: a list whose links live on the stack.
#[derive(Clone, Copy)]
pub struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: Option<Step<'a>>,
}

impl<'a> Path<'a> {
    /// The root.
    pub const ROOT: Path<'static> = Path { parent: None, step: None };

    /// Down to a member.
    #[must_use]
    pub fn key(&'a self, key: &'a str) -> Path<'a> {
        Path { parent: Some(self), step: Some(Step::Key(key)) }
    }

    /// Down to an item.
    #[must_use]
    pub fn index(&'a self, index: usize) -> Path<'a> {
        Path { parent: Some(self), step: Some(Step::Index(index)) }
    }

    /// The pointer as text.
    pub fn pointer(&self) -> String {
        let mut steps = Vec::new();
        let mut at = Some(self);
        while let Some(path) = at {
            steps.extend(path.step);
            at = path.parent;
        }
        steps.iter().rev().fold(String::new(), |mut out, step| {
            match step {
                Step::Key(key) => {
                    out.push('/');
                    out.push_str(&escape(key));
                }
                Step::Index(index) => {
                    // Writing to a String cannot fail.
                    let _ = write!(out, "/{index}");
                }
            }
            out
        })
    }
}

/// A member name as a reference token: `~` and `/` escaped.
pub fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_escapes_tilde_and_slash() {
        let root = Path::ROOT;
        let first = root.key("a/b");
        let second = first.index(3);
        assert_eq!(second.key("m~n").pointer(), "/a~1b/3/m~0n");
        assert_eq!(root.pointer(), "");
    }
}
