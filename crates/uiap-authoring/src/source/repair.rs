//! Repairs that callers with a schema need: a value that should have been text.

use super::node::{Node, NodeKind};
use crate::diagnostic::{Fix, shown};

impl Node<'_> {
    /// Puts a number, a boolean or a null that was written down into quotes, exactly as it was written.
    ///
    /// `version: 0.10` becomes `version: "0.10"`, which no conversion of the number could restore.
    pub fn quoting_fix(self) -> Option<Fix> {
        let raw = self.raw();
        let is_word =
            matches!(self.kind(), NodeKind::Null | NodeKind::Bool | NodeKind::Int | NodeKind::Float);
        let is_written = is_word && !raw.is_empty() && !raw.contains(['"', '\\', '*']);
        is_written.then(|| {
            let description = format!("write `\"{}\"`", shown(raw));
            Fix::replace(description, self.doc().file(), self.span(), format!("\"{raw}\""))
        })
    }
}
