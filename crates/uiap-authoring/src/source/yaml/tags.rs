//! Tags: the few that name plain data.

use saphyr_parser::Tag;

/// The types of the core schema, which have tags such as `!!str`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Core {
    Str,
    Null,
    Bool,
    Int,
    Float,
    Seq,
    Map,
}

impl Core {
    /// The type that a tag names. The lone `!` means text, by the rules of YAML.
    pub(super) fn of(tag: &Tag) -> Option<Self> {
        if tag.handle.is_empty() && tag.suffix == "!" {
            return Some(Self::Str);
        }
        let name = if tag.is_yaml_core_schema() {
            tag.suffix.as_str()
        } else {
            let full = format!("{}{}", tag.handle, tag.suffix);
            return Self::named(full.strip_prefix("tag:yaml.org,2002:")?);
        };
        Self::named(name)
    }

    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "str" => Self::Str,
            "null" => Self::Null,
            "bool" => Self::Bool,
            "int" => Self::Int,
            "float" => Self::Float,
            "seq" => Self::Seq,
            "map" => Self::Map,
            _ => return None,
        })
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Str => "!!str",
            Self::Null => "!!null",
            Self::Bool => "!!bool",
            Self::Int => "!!int",
            Self::Float => "!!float",
            Self::Seq => "!!seq",
            Self::Map => "!!map",
        }
    }
}
