//! Workflows have a meaning that an overlay must not change unseen. Spec: authoring §5.6.

use std::sync::Arc;

use uiap_model::authoring::AuthoringKind;

use super::Session;
use super::finding::{AlsoAt, at_value};
use super::manifest::ManifestSet;
use crate::diagnostic::codes;
use crate::tree::{At, write_canonical, write_key};

/// What a workflow does, without its words: where it starts, and each step with its type, action, target, ways on.
pub(crate) fn meaning(definition: At<'_>) -> Vec<u8> {
    const MEMBERS: &[&str] = &[
        "id",
        "type",
        "actionId",
        "target",
        "args",
        "next",
        "cases",
        "otherwise",
        "parameters",
        "conditions",
        "signals",
        "when",
    ];
    let mut out = Vec::new();
    if let Some(initial) = definition.get("initialStepId") {
        write_canonical(initial, &mut out);
    }
    for step in definition.list("steps") {
        out.push(b'\n');
        for member in MEMBERS {
            if let Some(value) = step.get(member) {
                write_key(member, &mut out);
                write_canonical(value, &mut out);
            }
        }
    }
    out
}

/// Compares patched catalogues with what was written in them.
pub(crate) fn check_reinterpreted(session: &mut Session<'_, '_>, set: &mut ManifestSet<'_>, prefix: &str) {
    let mut found = Vec::new();
    for (index, manifest) in set.manifests.iter().enumerate() {
        let concerned = manifest.kind == AuthoringKind::WorkflowCatalog && manifest.patched;
        if !concerned || !manifest.prefix.starts_with(prefix) {
            continue;
        }
        let Some(before) = manifest.source_spec().map(At::Node) else { continue };
        for workflow in manifest.spec().into_iter().flat_map(|spec| spec.list("workflows")) {
            let Some(after) = workflow.get("definition") else { continue };
            let Some(id) = after.text("id") else { continue };
            let mut originals = before.list("workflows").filter_map(|workflow| workflow.get("definition"));
            let Some(original) = originals.find(|original| original.text("id") == Some(id)) else { continue };
            if meaning(original) == meaning(after) {
                continue;
            }
            let (old, new) =
                (original.text("version").unwrap_or_default(), after.text("version").unwrap_or_default());
            let at = after.get("steps").unwrap_or(after);
            if old == new {
                session.diagnostics.push(
                    at_value(
                        codes::SILENT_REINTERPRETATION,
                        at,
                        format!("an overlay changes what workflow `{id}` does and keeps version `{old}`"),
                    )
                    .also(original.get("version").unwrap_or(original), "the version that was reviewed")
                    .help("give the changed workflow a version of its own"),
                );
            }
            let overlay = set.applied_overlays.iter().copied().find(|&overlay| {
                set.manifests.get(overlay).is_some_and(|overlay| Arc::ptr_eq(overlay.doc.file(), at.file()))
            });
            if let Some(overlay) = overlay {
                found.push((index, id.to_owned(), overlay));
            }
        }
    }
    set.reinterpreted.extend(found);
}
