//! How much a source may ask of the parser before it is refused.

/// Bounds that keep a hostile or broken file from costing more than a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest accepted file in bytes. Never more than 4 GiB, since offsets have 32 bits.
    pub max_bytes: u32,
    /// Deepest accepted nesting of sequences and mappings.
    pub max_depth: u32,
    /// How many nodes aliases may add to the tree in total.
    pub max_alias_nodes: u32,
    /// After how many syntax errors the parser stops looking for more.
    pub max_syntax_errors: u32,
}

impl Limits {
    /// 64 MiB, 128 levels, 100,000 alias nodes, 20 syntax errors.
    pub const DEFAULT: Self =
        Self { max_bytes: 64 * 1024 * 1024, max_depth: 128, max_alias_nodes: 100_000, max_syntax_errors: 20 };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
