//! Where a value of the bundle comes from: its place now, the patches on the way, its place before.

use serde::Serialize;

use super::Session;
use super::content::{Content, Items};
use super::package::Package;
use crate::diagnostic::Label;
use crate::source::parse_pointer;
use crate::tree::{At, array_index};

/// The origin chain of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The pointer that was asked for.
    pub pointer: String,
    /// The value, as JSON.
    pub value: String,
    /// From the last origin to the first.
    pub origins: Vec<Origin>,
}

/// One origin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// What happened: `written`, `patched`.
    pub what: &'static str,
    /// The manifest or overlay.
    pub manifest: String,
    /// `file:line:column`.
    pub place: String,
}

/// Explains a pointer such as `/policies/default/document/defaults/onUnknownAction`; items go by id or index.
pub(crate) fn explain(
    pointer: &str,
    session: &Session<'_, '_>,
    package: &Package<'_>,
    content: &Content<'_>,
) -> Option<Explanation> {
    let tokens = parse_pointer(pointer)?;
    let words: Vec<&str> = tokens.iter().map(String::as_str).collect();
    let (root, rest): (At<'_>, &[&str]) = match words.as_slice() {
        ["app", rest @ ..] => (content.app?, rest),
        ["compatibility", rest @ ..] => (At::Node(package.get("compatibility")?), rest),
        ["packageId"] => (At::Node(package.get("packageId")?), &[]),
        ["version"] => (At::Node(package.get("version")?), &[]),
        ["capabilities", rest @ ..] => (content.capabilities.as_ref()?.1, rest),
        ["bindings", list, item, rest @ ..] | [list, item, rest @ ..] => {
            (item_of(list, item, content)?, rest)
        }
        _ => return None,
    };
    let at = rest.iter().try_fold(root, |at, token| at.step(token))?;
    let mut origins = vec![Origin { what: "written", manifest: String::new(), place: place(at) }];
    let file = at.file().name();
    for patch in session.report.patches.iter().rev() {
        let last = rest.last().copied().unwrap_or_default();
        let from_patch = patch.place.starts_with(file);
        let touches = from_patch || (patch.path.ends_with(last) && !last.is_empty());
        if touches {
            let what = if from_patch { "patched" } else { "patched before" };
            origins.push(Origin { what, manifest: patch.overlay.clone(), place: patch.place.clone() });
            origins.push(Origin { what: "of", manifest: patch.manifest.clone(), place: patch.path.clone() });
        }
    }
    Some(Explanation { pointer: pointer.to_owned(), value: at.to_value().to_string(), origins })
}

fn place(at: At<'_>) -> String {
    Label::new(at.file(), super::finding::focus(at), "").place()
}

fn item_of<'t>(list: &str, item: &str, content: &Content<'t>) -> Option<At<'t>> {
    let items: &Items<'t> = match list {
        "routes" => &content.routes,
        "scopes" => &content.scopes,
        "elements" => &content.elements,
        "actions" => &content.actions,
        "policies" => &content.policies,
        "workflows" => &content.workflows,
        _ => return None,
    };
    let by_index = || array_index(item).and_then(|index| items.sorted().get(index).map(|item| item.at));
    items.get(item).map(|item| item.at).or_else(by_index)
}
