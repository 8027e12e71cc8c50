//! Step 5: apply the overlays that fit the context, in the order of the package's list. Spec: authoring §5.8.

use std::collections::HashMap;
use std::rc::Rc;

use uiap_model::authoring::AuthoringKind;
use uiap_model::shape::Strictness;

use super::conflict::{Clash, Op, Write, Writes};
use super::finding::{at_value, problem_at};
use super::history::Step;
use super::manifest::ManifestSet;
use super::patch::{Effect, KeyIndex, PatchFault, Target, pointer_of};
use super::report::AppliedPatch;
use super::selector::{self, Fit, Names};
use super::{Session, workflows};
use crate::diagnostic::{Code, Diagnostic, Label, Severity, codes};
use crate::source::{Node, parse_pointer};
use crate::tree::{At, array_index};

/// Paths that no overlay may touch: identity, approval, provenance. Decision D17.
const PROTECTED: &[&[&str]] = &[
    &["apiVersion"],
    &["kind"],
    &["metadata", "id"],
    &["metadata", "reviewState"],
    &["metadata", "source"],
    &["status"],
];

/// Applies the local overlays to local and imported manifests.
pub(crate) fn apply<'d>(session: &mut Session<'d, '_>, set: &mut ManifestSet<'d>) {
    apply_in(session, set, "");
}

/// Applies the overlays of one package, local or imported.
pub(crate) fn apply_in<'d>(session: &mut Session<'d, '_>, set: &mut ManifestSet<'d>, prefix: &str) {
    let mut tracks: HashMap<usize, Track> = HashMap::new();
    for index in 0..set.manifests.len() {
        let Some(overlay) = set.manifests.get(index) else { continue };
        if overlay.kind != AuthoringKind::Overlay || overlay.prefix != prefix {
            continue;
        }
        if selected(session, set, index) {
            set.applied_overlays.push(index);
            apply_overlay(session, set, index, &mut tracks);
        }
    }
    let mut touched: Vec<usize> = tracks.into_keys().collect();
    touched.sort_unstable();
    for target in touched {
        recheck(session, set, target);
    }
    workflows::check_reinterpreted(session, set, prefix);
}

/// What is known about one manifest while overlays are applied.
#[derive(Default)]
struct Track {
    writes: Writes,
    keys: KeyIndex,
    /// The last overlay that was told about counting in this manifest; once is enough.
    told: Option<usize>,
}

fn selected(session: &mut Session<'_, '_>, set: &ManifestSet<'_>, index: usize) -> bool {
    let Some(overlay) = set.manifests.get(index) else { return false };
    let Some(selector) = overlay.at().descend(&["spec", "selector"]) else { return false };
    let names = Names::of_app(set.app().and_then(super::manifest::Manifest::spec));
    selector::check(selector, &names, &mut session.diagnostics);
    let message = match selector::fit(selector, &session.context) {
        Fit::Yes => return true,
        Fit::No => format!("overlay `{}` does not fit the context and is not applied", overlay.id),
        Fit::Undecided(what) => {
            format!("overlay `{}` is not applied: the context names no {}", overlay.id, bare(what))
        }
    };
    session.diagnostics.push(at_value(codes::OVERLAY_SKIPPED, selector, message));
    false
}

fn bare(what: &str) -> &str {
    what.trim_start_matches("an ").trim_start_matches("a ")
}

fn apply_overlay<'d>(
    session: &mut Session<'d, '_>,
    set: &mut ManifestSet<'d>,
    overlay: usize,
    tracks: &mut HashMap<usize, Track>,
) {
    let Some(manifest) = set.manifests.get(overlay) else { return };
    // Overlays are never patched, so their patches can be read from the source while the targets change.
    let Some(patches) = manifest.source_spec().and_then(|spec| spec.get("patches")) else { return };
    for patch in patches.items() {
        if let Some(diagnostic) = apply_patch(session, set, overlay, patch, tracks) {
            session.diagnostics.push(diagnostic);
        }
    }
}

fn text<'d>(node: Node<'d>, key: &str) -> Option<&'d str> {
    node.get(key).and_then(Node::as_str)
}

fn apply_patch<'d>(
    session: &mut Session<'d, '_>,
    set: &mut ManifestSet<'d>,
    overlay: usize,
    patch: Node<'d>,
    tracks: &mut HashMap<usize, Track>,
) -> Option<Diagnostic> {
    let op = Op::parse(text(patch, "op")?)?;
    let pointer_at = patch.get("path")?;
    let target = match find_target(set, overlay, patch, session.diagnostics.takes_guesses()) {
        Ok(target) => target,
        Err(diagnostic) => return Some(*diagnostic),
    };
    let tokens = match read_path(pointer_at, op) {
        Ok(tokens) => tokens,
        Err(diagnostic) => return Some(*diagnostic),
    };
    if let Some(diagnostic) = check_operands(session, patch, op) {
        return Some(diagnostic);
    }
    let told = tracks.get(&target).is_some_and(|track| track.told == Some(overlay));
    if !told && lint_index(session, set, target, pointer_at, &tokens) {
        tracks.entry(target).or_default().told = Some(overlay);
    }
    let place = At::Node(pointer_at).place();
    let value = patch.get("value");
    let shown = value.map(|value| value.to_value().to_string()).unwrap_or_default();
    let write = Rc::new(Write { overlay, op, place, shown });
    let track = tracks.entry(target).or_default();
    let mut skip = false;
    if let Some((clash, earlier)) = track.writes.before(&tokens, &write) {
        let (diagnostic, fatal) =
            clash_diagnostic(session.options.last_overlay_wins, clash, &earlier, pointer_at, &tokens, value);
        skip = clash == Clash::Same && op == Op::Remove;
        if fatal {
            return Some(diagnostic);
        }
        session.diagnostics.push(diagnostic);
    }
    if skip {
        return None;
    }
    let manifest = set.manifests.get_mut(target)?;
    let kind = manifest.kind;
    let result = {
        let mut target = Target { kind, tree: &mut manifest.tree, keys: &mut track.keys };
        run(&mut target, op, &tokens, value, text(patch, "matchKey"))
    };
    let effect = match result {
        Ok(effect) => effect,
        Err(fault) => return Some(fault_diagnostic(fault, pointer_at)),
    };
    manifest.touch();
    let root = manifest.tree.at();
    let after = track.writes.after(&tokens, &effect, &write, |written| {
        let (at, exact) = root.locate(&pointer_of(written));
        exact.then(|| at.to_value().to_string())
    });
    if let Some((clash, earlier)) = after {
        let (diagnostic, _) =
            clash_diagnostic(session.options.last_overlay_wins, clash, &earlier, pointer_at, &tokens, value);
        session.diagnostics.push(diagnostic);
    }
    if session.options.explain.is_some() {
        let id = set.manifests.get(overlay).map(|overlay| overlay.id.clone()).unwrap_or_default();
        let place = At::Node(pointer_at).place();
        set.history.push(Step::new((target, &id, place), op, &tokens, value, &effect));
    }
    report(session, set, overlay, target, patch, op, &effect);
    None
}

fn run<'d>(
    target: &mut Target<'_, 'd>,
    op: Op,
    path: &[String],
    value: Option<Node<'d>>,
    key: Option<&str>,
) -> Result<Effect, PatchFault> {
    match (op, value) {
        (Op::Remove, _) => target.remove(path),
        (Op::Replace, Some(value)) => target.replace(path, value),
        (Op::Merge, Some(value)) => target.merge(path, value),
        (Op::Append, Some(value)) => target.append(path, value),
        (Op::Upsert, Some(value)) => target.upsert(path, value, key.unwrap_or("id")),
        (_, None) => Err(PatchFault::new("`value` is missing")),
    }
}

fn fault_diagnostic(fault: PatchFault, path_at: Node<'_>) -> Diagnostic {
    let mut diagnostic = at_value(codes::PATCH_FAILED, At::Node(path_at), fault.message);
    for (place, text) in fault.places {
        diagnostic.secondary.push(Label::new(&place.file, place.span, text));
    }
    match fault.help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

/// The manifest that a patch means.
fn find_target(
    set: &ManifestSet<'_>,
    overlay: usize,
    patch: Node<'_>,
    guess: bool,
) -> Result<usize, Box<Diagnostic>> {
    let at = patch.get("manifestId").unwrap_or(patch);
    let id = at.as_str().unwrap_or_default();
    let prefix = set.manifests.get(overlay).map(|overlay| overlay.prefix.as_str()).unwrap_or_default();
    let fault = |code: Code, message: String| at_value(code, At::Node(at), message);
    let full = format!("{prefix}{id}");
    if let Some(filter) = set.excluded.get(&full) {
        let diagnostic = fault(codes::EXCLUDED_MANIFEST, format!("`{id}` is left out of the import"));
        return Err(Box::new(diagnostic.secondary(&filter.file, filter.span, "by this filter")));
    }
    let Some(target) = set.find(id, prefix) else {
        let mut diagnostic = fault(codes::UNKNOWN_MANIFEST, format!("there is no manifest `{id}`"));
        diagnostic.help = guess.then(|| set.hint(id, prefix)).flatten();
        if set.absent.contains(&full) {
            diagnostic.help = Some("its file is optional and not there".to_owned());
        }
        return Err(Box::new(diagnostic));
    };
    let kind = set.manifests.get(target).map(|manifest| manifest.kind);
    if matches!(kind, Some(AuthoringKind::Overlay | AuthoringKind::ReviewSet | AuthoringKind::Package)) {
        let kind = kind.map(|kind| kind.as_str()).unwrap_or_default();
        return Err(Box::new(
            fault(codes::PROTECTED, format!("an overlay cannot change a {kind}"))
                .help("edit the manifest itself: this one decides what may be released"),
        ));
    }
    Ok(target)
}

/// The tokens of a path that may be patched.
fn read_path(at: Node<'_>, op: Op) -> Result<Vec<String>, Box<Diagnostic>> {
    let path = at.as_str().unwrap_or_default();
    let fault = |code: Code, message: String| at_value(code, At::Node(at), message);
    let Some(mut tokens) = parse_pointer(path) else {
        let help = if path.starts_with('/') {
            "`~` is written `~0` and `/` is written `~1`"
        } else {
            "a path starts with `/`"
        };
        return Err(Box::new(fault(codes::BAD_PATH, format!("`{path}` is no JSON Pointer")).help(help)));
    };
    if tokens.is_empty() {
        return Err(Box::new(fault(
            codes::PROTECTED,
            "an overlay cannot replace a whole document".to_owned(),
        )));
    }
    if tokens.last().is_some_and(|last| last == "-") && op == Op::Append {
        tokens.pop();
    }
    let words: Vec<&str> = tokens.iter().map(String::as_str).collect();
    let protected = PROTECTED.iter().find(|kept| words.starts_with(kept) || kept.starts_with(&words));
    if let Some(kept) = protected {
        let diagnostic = fault(codes::PROTECTED, format!("an overlay cannot change `/{}`", kept.join("/")));
        return Err(Box::new(
            diagnostic.help("identity, approval and provenance are stated in the manifest itself"),
        ));
    }
    Ok(tokens)
}

fn check_operands(session: &mut Session<'_, '_>, patch: Node<'_>, op: Op) -> Option<Diagnostic> {
    let (value, key) = (patch.get("value"), patch.get("matchKey"));
    let at = At::Node(patch.get("op").unwrap_or(patch));
    if value.is_none() && op != Op::Remove {
        return Some(at_value(codes::PATCH_OPERAND, at, format!("`{}` needs a `value`", op.as_str())));
    }
    if let Some(value) = value.filter(|_| op == Op::Remove) {
        let diagnostic =
            at_value(codes::PATCH_OPERAND, At::Node(value), "`remove` takes no `value`; it is ignored");
        session.diagnostics.push(diagnostic.severity(Severity::Warning));
    }
    match (op, key) {
        (Op::Upsert, None) => Some(
            at_value(codes::PATCH_OPERAND, at, "`upsert` needs a `matchKey`")
                .help("name the member that tells the items apart, such as `id` or `definition.id`"),
        ),
        (Op::Upsert, Some(_)) | (_, None) => None,
        (_, Some(key)) => Some(
            at_value(
                codes::PATCH_OPERAND,
                At::Node(key),
                format!("`matchKey` belongs to `upsert`, not to `{}`", op.as_str()),
            )
            .help("remove it, or use `upsert`"),
        ),
    }
}

/// Counting in a list that others may change is fragile; a match key is not.
fn lint_index(
    session: &mut Session<'_, '_>,
    set: &ManifestSet<'_>,
    target: usize,
    path_at: Node<'_>,
    path: &[String],
) -> bool {
    let Some(manifest) = set.manifests.get(target) else { return false };
    let mut at = manifest.at();
    for token in path {
        let counted =
            array_index(token).is_some() && at.items().next().is_some_and(|item| item.get("id").is_some());
        if counted {
            session.diagnostics.push(
                at_value(
                    codes::INDEX_PATH,
                    At::Node(path_at),
                    format!("`{token}` counts in a list of named items"),
                )
                .severity(Severity::Info)
                .help("`upsert` with a `matchKey` keeps working when the list changes"),
            );
            return true;
        }
        match at.step(token) {
            Some(next) => at = next,
            None => return false,
        }
    }
    false
}

/// What to say about two patches that meet, and whether the second one is not applied.
fn clash_diagnostic(
    last_wins: bool,
    clash: Clash,
    earlier: &Write,
    path_at: Node<'_>,
    path: &[String],
    value: Option<Node<'_>>,
) -> (Diagnostic, bool) {
    let pointer = pointer_of(path);
    let new = value.map_or("nothing".to_owned(), |value| super::finding::shown(At::Node(value)));
    let old = if earlier.op == Op::Remove {
        "removes it".to_owned()
    } else {
        format!("writes {}", cut(&earlier.shown))
    };
    let (code, message) = match clash {
        Clash::Same => (codes::OVERLAY_AGREES, format!("`{pointer}` gets the same value twice")),
        Clash::Appended => {
            (codes::OVERLAY_AGREES, format!("two overlays append to `{pointer}`; their order decides"))
        }
        Clash::BuiltOn => (
            codes::OVERLAY_BUILDS_ON,
            format!("this patch changes what an earlier one of the same overlay wrote to `{pointer}`"),
        ),
        Clash::Different => (
            codes::OVERLAY_CONFLICT,
            format!("two patches write different values to `{pointer}`: {} and {new}", cut(&earlier.shown)),
        ),
        Clash::Nested => {
            (codes::OVERLAY_CONFLICT, format!("one patch writes inside what another one writes: `{pointer}`"))
        }
        Clash::Removed => {
            (codes::OVERLAY_CONFLICT, format!("one patch removes what another one changes: `{pointer}`"))
        }
        Clash::Shifted => (
            codes::OVERLAY_CONFLICT,
            format!("another overlay removes an item of the list that `{pointer}` counts in"),
        ),
    };
    let mut diagnostic = at_value(code, At::Node(path_at), message).secondary(
        &earlier.place.file,
        earlier.place.span,
        format!("the earlier patch {old}"),
    );
    let is_conflict = code == codes::OVERLAY_CONFLICT;
    if is_conflict && last_wins {
        diagnostic = diagnostic.severity(Severity::Warning).help("the later patch wins");
    } else if is_conflict {
        diagnostic =
            diagnostic.help("make the selectors exclude each other, or put both changes into one overlay");
    }
    let fatal = is_conflict && !last_wins;
    (diagnostic, fatal)
}

fn cut(text: &str) -> String {
    if text.chars().count() > 60 {
        text.chars().take(57).collect::<String>() + "…"
    } else {
        text.to_owned()
    }
}

fn report(
    session: &mut Session<'_, '_>,
    set: &mut ManifestSet<'_>,
    overlay: usize,
    target: usize,
    patch: Node<'_>,
    op: Op,
    effect: &Effect,
) {
    let (Some(from), Some(to)) = (set.manifests.get(overlay), set.manifests.get(target)) else { return };
    let pointer_at = patch.get("path").unwrap_or(patch);
    let pointer = pointer_at.as_str().unwrap_or_default().to_owned();
    let label = Label::new(pointer_at.doc().file(), pointer_at.span(), "");
    let applied = AppliedPatch {
        overlay: from.id.clone(),
        manifest: to.id.clone(),
        op: op.as_str().to_owned(),
        path: pointer.clone(),
        place: label.place(),
    };
    let at = At::Node(pointer_at);
    if !effect.dropped.is_empty() {
        let message = format!("`upsert` replaces the item; it no longer has {}", effect.dropped.join(", "));
        session.diagnostics.push(at_value(codes::UPSERT_DROPS, at, message));
    }
    if effect.without_key > 0 {
        let message = format!("{} items of the list lack the match key and are skipped", effect.without_key);
        session.diagnostics.push(at_value(codes::UPSERT_SKIPS, at, message));
    }
    let key = (to.id.clone(), pointer);
    if from.is_imported() {
        set.import_patches.insert(key, applied.clone());
    } else if let Some(inner) = set.import_patches.get(&key) {
        session.diagnostics.push(
            at_value(
                codes::OVERLAY_OVER_IMPORT,
                at,
                "this replaces what an overlay of the imported package set",
            )
            .note(format!("set by {} at {}", inner.overlay, inner.place)),
        );
    }
    session.report.patches.push(applied);
}

/// A patched manifest must still have the form of its kind.
fn recheck(session: &mut Session<'_, '_>, set: &ManifestSet<'_>, target: usize) {
    let Some(manifest) = set.manifests.get(target) else { return };
    let Some(kind) = uiap_model::document::kind(manifest.kind.as_str()) else { return };
    if session.diagnostics.has_errors() && !session.options.keep_going {
        return;
    }
    for problem in crate::fit::problems(manifest.at(), (kind.shape)(), Strictness::Authored) {
        let diagnostic = problem_at(&problem, manifest.at());
        let label = format!("manifest `{}` breaks its form after the overlays", manifest.id);
        session.diagnostics.push(diagnostic.note(label));
    }
}
