//! Documents as the inspector sees them, whatever parsed them.

use serde_json::Value;

/// A node of a parsed document.
pub trait Tree<'t>: Copy {
    /// Items of an array.
    type Items: Iterator<Item = Self>;
    /// Members of an object, in document order.
    type Entries: Iterator<Item = (&'t str, Self)>;
    /// Looks at the node.
    fn view(self) -> View<'t, Self>;
}

/// What a node holds.
pub enum View<'t, T: Tree<'t>> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A string.
    Text(&'t str),
    /// An array.
    List(T::Items),
    /// An object.
    Map(T::Entries),
}

/// The kind of a JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// A string.
    Text,
    /// An array.
    List,
    /// An object.
    Map,
}

impl Kind {
    /// The kind with its article, for messages.
    pub fn with_article(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Number => "a number",
            Self::Text => "a string",
            Self::List => "a list",
            Self::Map => "an object",
        }
    }
}

impl<'t, T: Tree<'t>> View<'t, T> {
    /// The kind of the value.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Null => Kind::Null,
            Self::Bool(_) => Kind::Bool,
            Self::Number(_) => Kind::Number,
            Self::Text(_) => Kind::Text,
            Self::List(_) => Kind::List,
            Self::Map(_) => Kind::Map,
        }
    }
}

/// Members of a `serde_json` object.
pub struct ValueEntries<'t>(serde_json::map::Iter<'t>);

impl<'t> Iterator for ValueEntries<'t> {
    type Item = (&'t str, &'t Value);
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(key, value)| (key.as_str(), value))
    }
}

impl<'t> Tree<'t> for &'t Value {
    type Items = std::slice::Iter<'t, Value>;
    type Entries = ValueEntries<'t>;
    fn view(self) -> View<'t, Self> {
        match self {
            Value::Null => View::Null,
            Value::Bool(value) => View::Bool(*value),
            Value::Number(number) => View::Number(number.as_f64().unwrap_or(f64::NAN)),
            Value::String(text) => View::Text(text),
            Value::Array(items) => View::List(items.iter()),
            Value::Object(map) => View::Map(ValueEntries(map.iter())),
        }
    }
}
