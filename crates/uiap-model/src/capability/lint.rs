//! What is valid and still worth a look.

use crate::capability::action::{ActionDescriptor, ActionKind, Idempotency};
use crate::capability::document::CapabilityDocument;
use crate::capability::risk::{RiskLevel, RiskTag};
use crate::capability::signal::{SignalKind, SuccessSignal};
use crate::capability::target::TargetRef;
use crate::capability::vocabulary::UIStateKey;
use crate::problem::{Code, Problem, Severity};
use crate::shape::inspect::quoted;

/// A value that reads like words for people.
pub const DISPLAY_TEXT: Code = Code("UIAP-M100");
/// A value that reads like a selector.
pub const SELECTOR: Code = Code("UIAP-M101");
/// A profile without its version.
pub const NO_VERSION: Code = Code("UIAP-M102");
/// An id that was made by a machine.
pub const GENERATED_ID: Code = Code("UIAP-M103");
/// An action id that does not name a business operation.
pub const ACTION_NAME: Code = Code("UIAP-M104");
/// A level that does not fit the operation.
pub const LOW_LEVEL: Code = Code("UIAP-M105");
/// Code where a plain value belongs.
pub const CODE_IN_SIGNAL: Code = Code("UIAP-M106");
/// An action whose success nobody can see.
pub const NO_SIGNAL: Code = Code("UIAP-M107");
/// A custom signal that the protocol already has.
pub const NEEDLESS_CUSTOM: Code = Code("UIAP-M108");
/// One signal where two are better.
pub const SINGLE_SIGNAL: Code = Code("UIAP-M109");
/// A kind of signal that is used and not listed.
pub const UNLISTED_KIND: Code = Code("UIAP-M110");
/// Privileged actions that the document tells of.
pub const PRIVILEGED: Code = Code("UIAP-M111");
/// A delicate field without a mark.
pub const UNMARKED_SECRET: Code = Code("UIAP-M112");

/// Everything worth a look.
pub fn lint(document: &CapabilityDocument) -> Vec<Problem> {
    let mut problems = Vec::new();
    if !document
        .profile
        .as_str()
        .split_once('@')
        .is_some_and(|(name, version)| !name.is_empty() && !version.is_empty())
    {
        problems.push(
            Problem::warning(
                NO_VERSION,
                "/profile",
                format!("profile `{}` names no version", document.profile),
            )
            .help("write it as name@version, such as `web@0.1`"),
        );
    }
    lint_values("roles", document.roles.iter().map(super::UIRole::as_str), &mut problems);
    lint_values("affordances", document.affordances.iter().map(super::UIAffordance::as_str), &mut problems);
    for (index, action) in document.actions.iter().enumerate() {
        let at = format!("/actions/{index}");
        lint_name(action, &at, &mut problems);
        lint_level(action, &at, &mut problems);
        lint_signals(document, action, &at, &mut problems);
        lint_args(document, action, &at, &mut problems);
        if action.risk.tags.iter().flatten().any(|tag| *tag == RiskTag::Privileged) {
            problems.push(Problem {
                severity: Severity::Info,
                ..Problem::warning(
                    PRIVILEGED,
                    at,
                    format!("`{}` is privileged: hand this document to authorised agents only", action.id),
                )
            });
        }
    }
    problems
}

fn lint_values<'a>(list: &str, values: impl Iterator<Item = &'a str>, problems: &mut Vec<Problem>) {
    for (index, value) in values.enumerate() {
        let at = format!("/{list}/{index}");
        if value.contains(['#', '>', '[', '*', '+', '=', '(', '/']) || value.contains("..") {
            problems.push(
                Problem::warning(SELECTOR, at.clone(), format!("{} looks like a selector", quoted(value)))
                    .help("name what the thing means, not where it stands in the page"),
            );
        }
        if looks_generated(value) {
            problems.push(generated(at, value));
        }
    }
}

fn lint_name(action: &ActionDescriptor, at: &str, problems: &mut Vec<Problem>) {
    let id = action.id.as_str();
    if !id.is_ascii() || id.contains(char::is_whitespace) {
        problems.push(
            Problem::warning(
                DISPLAY_TEXT,
                format!("{at}/id"),
                format!("{} reads like words for people", quoted(id)),
            )
            .help("use a token that is the same in every language, such as `video.create`"),
        );
    }
    if action.kind == ActionKind::Domain && !id.contains('.') {
        problems.push(
            Problem::warning(ACTION_NAME, format!("{at}/id"), format!("{} has no dot", quoted(id)))
                .help("name subject and operation, such as `team.invite`"),
        );
    }
    if looks_generated(id) {
        problems.push(generated(format!("{at}/id"), id));
    }
}

/// Words of operations that an agent must not start by itself, in several languages.
const GRAVE_WORDS: &[&str] = &[
    "pay",
    "payment",
    "checkout",
    "purchase",
    "charge",
    "refund",
    "delete",
    "destroy",
    "purge",
    "erase",
    "remove",
    "password",
    "credential",
    "publish",
    "transfer",
    "bezahlen",
    "zahlung",
    "loeschen",
    "passwort",
    "supprimer",
    "eliminar",
    "borrar",
];

fn lint_level(action: &ActionDescriptor, at: &str, problems: &mut Vec<Problem>) {
    if action.risk.level != RiskLevel::Safe || action.kind == ActionKind::Primitive {
        return;
    }
    let id = action.id.as_str();
    let words = split_words(id);
    let opens_only = words
        .last()
        .is_some_and(|last| ["open", "show", "view", "list", "settings"].contains(&last.as_str()))
        || words.iter().any(|word| word == "open");
    if !opens_only && words.iter().any(|word| GRAVE_WORDS.contains(&word.as_str())) {
        problems.push(
            Problem::warning(LOW_LEVEL, format!("{at}/risk/level"), format!("`{id}` is rated safe"))
                .help("its name speaks of an operation that is `blocked` for agents, or at least `confirm`"),
        );
    }
}

fn lint_signals(
    document: &CapabilityDocument,
    action: &ActionDescriptor,
    at: &str,
    problems: &mut Vec<Problem>,
) {
    let signals = action.success.as_deref().unwrap_or_default();
    if signals.is_empty() {
        problems.push(
            Problem::warning(NO_SIGNAL, at, format!("`{}` has no success signal", action.id))
                .help("say how its success is recognised, such as `{ \"kind\": \"route.changed\" }`"),
        );
    }
    let critical = action.kind == ActionKind::Domain
        && action.risk.level == RiskLevel::Confirm
        && action.idempotency == Some(Idempotency::NonIdempotent);
    if critical && signals.len() == 1 {
        problems.push(
            Problem::warning(SINGLE_SIGNAL, format!("{at}/success"), format!("`{}` is critical", action.id))
                .help("add a second success signal, so that one false sighting is not enough"),
        );
    }
    for (index, signal) in signals.iter().enumerate() {
        let at = format!("{at}/success/{index}");
        lint_signal(signal, &at, problems);
        let listed =
            SignalKind::parse(signal.tag()).is_some_and(|kind| document.success_signal_kinds.contains(&kind));
        if !listed {
            problems.push(
                Problem::warning(
                    UNLISTED_KIND,
                    format!("{at}/kind"),
                    format!("`{}` of `{}` is not in `successSignalKinds`", signal.tag(), action.id),
                )
                .related("/successSignalKinds", "not in this list"),
            );
        }
    }
}

fn lint_signal(signal: &SuccessSignal, at: &str, problems: &mut Vec<Problem>) {
    let texts: Vec<(&str, &str)> = match signal {
        SuccessSignal::RouteChanged { pattern, exact } => [("pattern", pattern), ("exact", exact)]
            .into_iter()
            .filter_map(|(name, text)| text.as_deref().map(|text| (name, text)))
            .collect(),
        SuccessSignal::ToastContains { text } | SuccessSignal::StatusContains { text } => {
            vec![("text", text)]
        }
        SuccessSignal::NetworkResponse { url_pattern: Some(pattern), .. } => vec![("urlPattern", pattern)],
        SuccessSignal::Custom { name, .. } => {
            let kinds = SignalKind::NAMES.iter().copied().filter(|kind| *kind != "custom");
            if let Some(kind) = crate::suggest::nearest(name, kinds) {
                problems.push(
                    Problem::warning(
                        NEEDLESS_CUSTOM,
                        format!("{at}/name"),
                        format!("custom signal `{name}`"),
                    )
                    .help(format!("the protocol has `{kind}` for that")),
                );
            }
            vec![("name", name)]
        }
        _ => Vec::new(),
    };
    for (member, text) in texts.into_iter().filter(|(_, text)| looks_like_code(text)) {
        problems.push(
            Problem::warning(
                CODE_IN_SIGNAL,
                format!("{at}/{member}"),
                format!("{} looks like code", quoted(text)),
            )
            .help("signals are compared as plain text and never executed"),
        );
    }
    if let Some(TargetRef::StableId { value }) = signal.target()
        && looks_generated(value.as_str())
    {
        problems.push(generated(format!("{at}/target/value"), value.as_str()));
    }
}

fn lint_args(
    document: &CapabilityDocument,
    action: &ActionDescriptor,
    at: &str,
    problems: &mut Vec<Problem>,
) {
    const DELICATE: &[&str] =
        &["password", "passwort", "secret", "card", "iban", "cvc", "cvv", "pin", "otp", "ssn"];
    let marked = document.state_keys.contains(&UIStateKey::Sensitive)
        || action.risk.tags.iter().flatten().any(|tag| *tag == RiskTag::SensitiveData);
    if marked {
        return;
    }
    for (index, arg) in action.args.iter().flatten().enumerate() {
        if split_words(&arg.name).iter().any(|word| DELICATE.contains(&word.as_str())) {
            problems.push(
                Problem::warning(
                    UNMARKED_SECRET,
                    format!("{at}/args/{index}"),
                    format!("argument `{}` of `{}` is not marked as sensitive", arg.name, action.id),
                )
                .help("declare the state key `sensitive`, or tag the action `sensitive_data`"),
            );
        }
    }
}

/// Whether an id looks made by a framework or a generator: `:r3:`, a UUID, a digest.
pub fn looks_generated(id: &str) -> bool {
    let framework = id.strip_prefix(':').is_some_and(|rest| rest.ends_with(':'));
    let digits = id.bytes().filter(u8::is_ascii_digit).count();
    let hexish = |run: &str| {
        run.len() >= 16
            && run.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
            && run.bytes().any(|byte| byte.is_ascii_digit())
    };
    framework || id.split(['.', ':', '/', '_']).any(hexish) || (digits >= 8 && digits * 2 > id.len())
}

fn generated(at: String, id: &str) -> Problem {
    Problem::warning(GENERATED_ID, at, format!("{} looks generated", quoted(id)))
        .help("choose an id that a person can read and that stays the same from release to release")
}

fn looks_like_code(text: &str) -> bool {
    ["=>", "function", "javascript:", "${", "eval(", "return ", "<script", "{{"]
        .iter()
        .any(|mark| text.contains(mark))
}

/// `team.inviteMember` → `team`, `invite`, `member`.
fn split_words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in text.chars() {
        if !letter.is_alphanumeric() {
            words.push(String::new());
            continue;
        }
        if letter.is_uppercase() && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
