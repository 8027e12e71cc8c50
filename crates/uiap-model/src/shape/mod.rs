//! What a wire type looks like, as data: the one source of validation messages and of JSON Schema.
//!
//! `#[wire]` writes the descriptions; [`inspect`](inspect::inspect) compares a document with them and reports every
//! fault at once; [`schema`] prints them as JSON Schema 2020-12. Decoding by serde is the fast path and accepts
//! exactly the same documents (`tests/schema_agreement.rs` holds the three together).

pub mod inspect;
mod primitive;
pub mod schema;
pub mod tree;

pub use inspect::{Strictness, inspect};
pub use tree::{Kind, Tree, View};

/// A type of the protocol.
pub trait Wire: serde::Serialize + serde::de::DeserializeOwned {
    /// Its description.
    fn shape() -> Shape;
}

/// The form of a JSON value.
#[derive(Clone, Copy)]
pub enum Shape {
    /// Anything.
    Any,
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A string that keeps a rule.
    Text(&'static TextRule),
    /// A number that keeps a rule.
    Number(&'static NumberRule),
    /// One word of a vocabulary.
    Words(&'static Words),
    /// One of a few values of mixed kinds.
    Literals(&'static Literals),
    /// An array.
    List(fn() -> Shape),
    /// An object whose members all have one form.
    Map {
        /// Form of each name.
        key: fn() -> Shape,
        /// Form of each value.
        value: fn() -> Shape,
    },
    /// Any object.
    Object,
    /// An object with known members.
    Record(&'static Record),
    /// One of several objects, told apart by one member.
    Tagged(&'static Tagged),
    /// One of several forms, told apart by trying.
    OneOf(&'static OneOf),
    /// The form or `null`.
    Nullable(fn() -> Shape),
}

/// Rule of a string.
pub struct TextRule {
    /// Name in the schema; empty for an anonymous rule.
    pub name: &'static str,
    /// What the string is.
    pub doc: &'static str,
    /// Least number of characters.
    pub min: usize,
    /// Greatest number of characters.
    pub max: Option<usize>,
    /// Regular expression for the schema, equal in meaning to `accepts`.
    pub pattern: Option<&'static str>,
    /// The rule itself, lengths included.
    pub accepts: fn(&str) -> bool,
    /// The rule in words: "a version such as `0.1`".
    pub expected: &'static str,
}

/// Rule of a number.
pub struct NumberRule {
    /// Name in the schema; empty for an anonymous rule.
    pub name: &'static str,
    /// Whole numbers only.
    pub integer: bool,
    /// Least value.
    pub min: Option<f64>,
    /// Greatest value.
    pub max: Option<f64>,
    /// The rule in words.
    pub expected: &'static str,
}

/// A vocabulary.
pub struct Words {
    /// Name of the type.
    pub name: &'static str,
    /// What it is for.
    pub doc: &'static str,
    /// Every defined word.
    pub values: &'static [&'static str],
    /// Whether `x.…` extends it.
    pub open: bool,
}

/// A few values of mixed kinds.
pub struct Literals {
    /// Name of the type.
    pub name: &'static str,
    /// What it is for.
    pub doc: &'static str,
    /// The values.
    pub values: &'static [Literal],
}

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literal {
    /// `true` or `false`.
    Bool(bool),
    /// A string.
    Text(&'static str),
}

/// An object with known members.
pub struct Record {
    /// Name of the type.
    pub name: &'static str,
    /// What it is for.
    pub doc: &'static str,
    /// Members declared by the type itself.
    pub own: &'static [Field],
    /// Types whose members appear beside them.
    pub flattened: &'static [fn() -> Shape],
    /// Whether members under `x.` are welcome and all other unknown ones refused.
    pub extensions: bool,
}

/// A member.
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it says.
    pub doc: &'static str,
    /// Whether it must be there.
    pub required: bool,
    /// Least number of items, for a list.
    pub min: usize,
    /// Its form.
    pub shape: fn() -> Shape,
}

/// One of several objects.
pub struct Tagged {
    /// Name of the type.
    pub name: &'static str,
    /// What it is for.
    pub doc: &'static str,
    /// The member that tells which one.
    pub tag: &'static str,
    /// The objects.
    pub variants: &'static [Variant],
}

/// One of them.
pub struct Variant {
    /// Value of the tag.
    pub value: &'static str,
    /// What it is for.
    pub doc: &'static str,
    /// Its members beside the tag.
    pub fields: &'static [Field],
}

/// One of several forms.
pub struct OneOf {
    /// Name of the type.
    pub name: &'static str,
    /// What it is for.
    pub doc: &'static str,
    /// The forms, the first that fits wins.
    pub of: &'static [fn() -> Shape],
    /// Forms that files written by people may use beside them, until a build resolves them.
    pub authored: &'static [fn() -> Shape],
}

impl OneOf {
    /// The forms that are welcome.
    pub fn forms(&self, strictness: Strictness) -> impl Iterator<Item = Shape> {
        let more = if strictness == Strictness::Authored { self.authored } else { &[] };
        self.of.iter().chain(more).map(|shape| shape())
    }
}

impl Record {
    /// Its members, flattened ones included, and the union that is flattened into it, if any.
    pub fn members(&self) -> (Vec<&'static Field>, Option<&'static Tagged>) {
        let mut fields: Vec<&'static Field> = self.own.iter().collect();
        let mut union = None;
        for shape in self.flattened {
            match shape() {
                Shape::Record(inner) => {
                    let (more, tagged) = inner.members();
                    fields.extend(more);
                    union = union.or(tagged);
                }
                Shape::Tagged(tagged) => union = Some(tagged),
                _ => {}
            }
        }
        (fields, union)
    }
}
