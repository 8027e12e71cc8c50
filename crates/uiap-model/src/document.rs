//! Every kind of document: how to recognise it, what it looks like, what else must hold.

use serde_json::Value;

use crate::action::{ActionRequestPayload, ActionResultPayload};
use crate::authoring::manifest;
use crate::capability;
use crate::core::binding::ReconnectPolicy;
use crate::core::envelope::Envelope;
use crate::core::registry;
use crate::discovery::DiscoveryPackage;
use crate::discovery::catalog::ActionTargetPattern;
use crate::policy::PolicyDocument;
use crate::problem::{Code, Problem};
use crate::shape::inspect::MISSING;
use crate::shape::{Shape, Strictness, Tree, View, Wire, inspect};

/// A kind of document.
pub struct DocumentKind {
    /// Its name, as `uiap validate --as` and `uiap schema` take it.
    pub name: &'static str,
    /// The module of the specification that defines it.
    pub module: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// Whether people write it, so that unknown members are mistakes.
    pub strictness: Strictness,
    /// Its form.
    pub shape: fn() -> Shape,
    /// What the form cannot say, for a document whose form is right.
    pub check: fn(&Value) -> Vec<Problem>,
    /// Members that give it away; all of them, with the value where one is given.
    marks: &'static [(&'static str, Option<&'static str>)],
}

fn typed<T: Wire>(value: &Value, check: fn(&T) -> Vec<Problem>) -> Vec<Problem> {
    match T::deserialize(value) {
        Ok(document) => check(&document),
        Err(error) => {
            vec![Problem::error(crate::parse::UNDECODABLE, "", format!("cannot be decoded: {error}"))]
        }
    }
}

/// Decodes and encodes again; fails exactly where the form is wrong. No table holds it: a pointer for each type would have
/// every decoder compiled into every program.
pub fn round_trip<T: Wire>(value: &Value) -> Result<Value, String> {
    let typed = T::deserialize(value).map_err(|error| error.to_string())?;
    serde_json::to_value(&typed).map_err(|error| error.to_string())
}

macro_rules! kinds {
    ($($name:literal $module:literal $title:literal $strictness:ident $type:ty
        $(, check $check:expr)? $(, check_value $raw:expr)? $(, marks [$($mark:expr),+])?;)+) => {
        /// All of them.
        pub const KINDS: &[DocumentKind] = &[$(
            DocumentKind {
                name: $name,
                module: $module,
                title: $title,
                strictness: Strictness::$strictness,
                shape: <$type as Wire>::shape,
                check: kinds!(@check $type $(, $check)? $(; $raw)?),
                marks: &[$($($mark),+)?],
            },
        )+];
    };
    (@check $type:ty) => { |_| Vec::new() };
    (@check $type:ty; $raw:expr) => { $raw };
    (@check $type:ty, $check:expr) => { |value| typed::<$type>(value, $check) };
}

const AUTHORING: (&str, Option<&str>) = ("apiVersion", None);

/// Calls `$with!` with every kind of document: name, module, title, strictness, type, then what belongs to it.
#[doc(hidden)]
#[macro_export]
macro_rules! every_kind {
    ($with:ident) => {
        $with! {
            "Envelope" "core" "A message" Wire $crate::core::envelope::Envelope,
                check check_message, marks [("uiap", None), ("kind", None), ("type", None)];
            "CapabilityDocument" "capability" "What an app can do" Wire $crate::capability::CapabilityDocument,
                check capability::check::check, marks [("roles", None), ("stateKeys", None), ("affordances", None)];
            "ActionDescriptor" "capability" "An action" Wire $crate::capability::ActionDescriptor,
                marks [("targetKinds", None), ("executionModes", None)];
            "SuccessSignal" "capability" "How success is recognised" Wire $crate::capability::SuccessSignal;
            "TargetRef" "capability" "A target" Wire $crate::capability::TargetRef;
            "PageGraph" "web" "The page at one revision" Wire $crate::web::PageGraph,
                check $crate::web::check::check, marks [("rootDocumentId", None), ("documents", None)];
            "ElementNode" "web" "One element" Wire $crate::web::ElementNode, marks [("instanceId", None), ("role", None), ("web", None)];
            "WebStateDelta" "web" "What changed between two revisions" Wire $crate::web::WebStateDeltaPayload,
                marks [("baseRevision", None), ("ops", None)];
            "WebSignal" "web" "What the page told by itself" Wire $crate::web::WebSignal;
            "ActionRequest" "action" "A request to act" Wire $crate::action::ActionRequestPayload, check ActionRequestPayload::check;
            "ActionResult" "action" "What became of it" Wire $crate::action::ActionResultPayload,
                check ActionResultPayload::check, marks [("actionHandle", None), ("verification", None)];
            "PolicyDocument" "policy" "What may be done" Wire $crate::policy::PolicyDocument,
                check PolicyDocument::check, marks [("modelVersion", None), ("defaults", None)];
            "PolicyRequest" "policy" "A question to the policy" Wire $crate::policy::PolicyRequest,
                marks [("principal", None), ("actionId", None)];
            "PolicyDecision" "policy" "Its answer" Wire $crate::policy::PolicyDecision, marks [("decisionId", None), ("effect", None)];
            "AuditRecord" "policy" "One entry of the audit" Wire $crate::policy::AuditRecord, marks [("auditId", None), ("event", None)];
            "WorkflowDefinition" "workflow" "A task of several steps" Wire $crate::workflow::WorkflowDefinition,
                check $crate::workflow::check::check, marks [("initialStepId", None), ("steps", None)];
            "DiscoveryPackage" "discovery" "What an exploration found" Wire $crate::discovery::DiscoveryPackage,
                check_value check_discovery, marks [("spec", Some("uiap.discovery"))];
            "DiscoveryEnvironment" "discovery" "Where an exploration runs" Wire $crate::discovery::DiscoveryEnvironment,
                marks [("environmentId", None), ("baseUrl", None)];
            "UIAPCompiledBundle" "authoring" "The contract of an app, built" Wire $crate::authoring::UIAPCompiledBundle,
                check_value check_bundle, marks [("packageId", None), ("buildContext", None)];
            "BuildContext" "authoring" "For what a bundle is built" Authored $crate::authoring::BuildContext;
            "Package" "authoring" "Manifest: the root of a package" Authored $crate::authoring::manifest::PackageDocument,
                marks [AUTHORING, ("kind", Some("Package"))];
            "App" "authoring" "Manifest: the app" Authored $crate::authoring::manifest::AppDocument,
                marks [AUTHORING, ("kind", Some("App"))];
            "Capabilities" "authoring" "Manifest: capabilities" Authored $crate::authoring::manifest::CapabilitiesDocument,
                check check_capabilities, marks [AUTHORING, ("kind", Some("Capabilities"))];
            "Bindings" "authoring" "Manifest: routes, scopes, elements" Authored $crate::authoring::manifest::BindingsDocument,
                marks [AUTHORING, ("kind", Some("Bindings"))];
            "Actions" "authoring" "Manifest: actions" Authored $crate::authoring::manifest::ActionsDocument,
                marks [AUTHORING, ("kind", Some("Actions"))];
            "PolicySet" "authoring" "Manifest: policies" Authored $crate::authoring::manifest::PolicySetDocument,
                marks [AUTHORING, ("kind", Some("PolicySet"))];
            "WorkflowCatalog" "authoring" "Manifest: workflows" Authored $crate::authoring::manifest::WorkflowCatalogDocument,
                marks [AUTHORING, ("kind", Some("WorkflowCatalog"))];
            "LocalePack" "authoring" "Manifest: texts" Authored $crate::authoring::manifest::LocalePackDocument,
                marks [AUTHORING, ("kind", Some("LocalePack"))];
            "Overlay" "authoring" "Manifest: changes for a context" Authored $crate::authoring::manifest::OverlayDocument,
                marks [AUTHORING, ("kind", Some("Overlay"))];
            "ReviewSet" "authoring" "Manifest: approvals and waivers" Authored $crate::authoring::manifest::ReviewSetDocument,
                marks [AUTHORING, ("kind", Some("ReviewSet"))];
            "DiscoveryImport" "authoring" "Manifest: findings taken over" Authored $crate::authoring::manifest::DiscoveryImportDocument,
                marks [AUTHORING, ("kind", Some("DiscoveryImport"))];
            "ConformanceClaim" "conformance" "What an implementation claims" Wire $crate::conformance::ConformanceClaim,
                marks [("claimId", None), ("implementation", None)];
            "ConformanceReport" "conformance" "What a run of the suite found" Wire $crate::conformance::ConformanceReport,
                marks [("reportVersion", None), ("roleVerdicts", None)];
            "TestModule" "conformance" "Cases of one module" Authored $crate::conformance::case::TestModule, marks [("specVersion", None), ("cases", None)];
            "TestCase" "conformance" "One case" Authored $crate::conformance::case::TestCase, marks [("specRef", None), ("polarity", None)];
            "HTTPBindingConfig" "binding" "Settings of http@0.1" Authored $crate::core::binding::HTTPBindingConfig,
                marks [("baseUrl", None), ("eventStreamPathTemplate", None)];
            "WSBindingConfig" "binding" "Settings of ws@0.1" Authored $crate::core::binding::WSBindingConfig;
            "ReconnectPolicy" "binding" "When a lost link is tried again" Authored $crate::core::binding::ReconnectPolicy,
                check ReconnectPolicy::check;
        }
    };
}

every_kind!(kinds);

/// The kind of that name, whatever its case.
pub fn kind(name: &str) -> Option<&'static DocumentKind> {
    KINDS.iter().find(|kind| kind.name.eq_ignore_ascii_case(name))
}

/// The kind that the members of `tree` give away; the one with most marks wins.
pub fn detect<'t, T: Tree<'t>>(tree: T) -> Option<&'static DocumentKind> {
    let View::Map(entries) = tree.view() else { return None };
    let members: Vec<(&str, Option<&str>)> = entries
        .map(|(key, node)| match node.view() {
            View::Text(text) => (key, Some(text)),
            _ => (key, None),
        })
        .collect();
    let fits = |kind: &&DocumentKind| {
        !kind.marks.is_empty()
            && kind.marks.iter().all(|(key, wanted)| {
                members.iter().any(|(name, text)| name == key && (wanted.is_none() || text == wanted))
            })
    };
    KINDS.iter().rev().filter(fits).max_by_key(|kind| {
        let exact = kind.marks.iter().filter(|(_, value)| value.is_some()).count();
        (exact, kind.marks.len())
    })
}

/// Everything that is wrong with a document of that kind.
pub fn validate(value: &Value, kind: &DocumentKind) -> Vec<Problem> {
    let problems = inspect(value, (kind.shape)(), kind.strictness);
    if problems.is_empty() { (kind.check)(value) } else { problems }
}

/// As [`validate`], for a piece of a document: a member may be missing at its top, but what is there must be right.
pub fn validate_fragment(value: &Value, kind: &DocumentKind) -> Vec<Problem> {
    let mut problems = inspect(value, (kind.shape)(), kind.strictness);
    problems.retain(|problem| problem.code != MISSING || !problem.pointer.is_empty());
    problems
}

/// Reports ids that stand twice in a list.
pub(crate) fn duplicates<'a>(
    list: &'a str,
    member: &'a str,
    code: Code,
    ids: impl Iterator<Item = &'a str>,
) -> impl Iterator<Item = Problem> {
    let mut seen = std::collections::HashMap::new();
    ids.enumerate().filter_map(move |(index, id)| {
        let first = *seen.entry(id).or_insert(index);
        (first != index).then(|| {
            Problem::error(code, format!("{list}/{index}/{member}"), format!("`{id}` is declared twice"))
                .related(format!("{list}/{first}/{member}"), "first declared here")
                .help("rename or remove one of them")
        })
    })
}

fn check_message(envelope: &Envelope) -> Vec<Problem> {
    let mut problems = envelope.check();
    let Some(spec) = registry::find(envelope.message_type.as_str()) else { return problems };
    let payload = Value::Object(envelope.payload.0.clone());
    let mut inner = inspect(&payload, (spec.payload)(), Strictness::Wire);
    if inner.is_empty() {
        inner = (spec.check)(&payload);
    }
    problems.extend(inner.into_iter().map(|problem| problem.under("/payload")));
    problems
}

fn check_capabilities(document: &manifest::CapabilitiesDocument) -> Vec<Problem> {
    let problems = capability::check::check(&document.spec.document);
    problems.into_iter().map(|problem| problem.under("/spec/document")).collect()
}

/// The digest of a bundle is that of the bundle without it.
pub const WRONG_DIGEST: Code = Code("UIAP-M060");

/// What a package claims must add up; and a pattern says by which members it matches, so one that nobody knows is a mistake there.
fn check_discovery(package: &Value) -> Vec<Problem> {
    let mut problems = typed::<DiscoveryPackage>(package, DiscoveryPackage::check);
    let actions = package.pointer("/actionCatalog/actions").and_then(Value::as_array);
    for (at, action) in actions.into_iter().flatten().enumerate() {
        let patterns = action.get("targetPatterns").and_then(Value::as_array);
        for (place, pattern) in patterns.into_iter().flatten().enumerate() {
            let found = inspect(pattern, ActionTargetPattern::shape(), Strictness::Authored);
            problems.extend(found.into_iter().map(|mut problem| {
                problem.pointer =
                    format!("/actionCatalog/actions/{at}/targetPatterns/{place}{}", problem.pointer);
                problem
            }));
        }
    }
    problems
}

fn check_bundle(bundle: &Value) -> Vec<Problem> {
    let mut bare = bundle.clone();
    let said = bare.as_object_mut().and_then(|members| members.remove("digest"));
    let Some(Value::String(said)) = said else { return Vec::new() };
    match crate::digest::digest(&bare) {
        Ok(found) if found == *said => Vec::new(),
        Ok(found) => vec![
            Problem::error(WRONG_DIGEST, "/digest", format!("the bundle's content has the digest `{found}`"))
                .help("the bundle was changed after it was built; build it again"),
        ],
        Err(error) => vec![Problem::error(WRONG_DIGEST, "/digest", error.to_string())],
    }
}
