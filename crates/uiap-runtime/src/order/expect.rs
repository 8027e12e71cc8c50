//! What is expected, in short words: `toast:Saved`, `route:/videos/:id`, `appears:button "Publish"`.

use uiap_model::capability::signal::SignalValue;
use uiap_model::capability::{SuccessSignal, TargetRef, UIRole};
use uiap_model::json::Count;

/// Reads an expectation; `about` is the target of the action, for those that speak of it. A signal as JSON is one too.
pub fn expectation(text: &str, about: Option<&TargetRef>) -> Option<SuccessSignal> {
    let text = text.trim();
    if text.starts_with('{') {
        return serde_json::from_str(text).ok();
    }
    let (word, rest) = text.split_once(':').map_or((text, ""), |(word, rest)| (word, rest.trim()));
    let words = (!rest.is_empty()).then(|| rest.into());
    Some(match word {
        "toast" => SuccessSignal::ToastContains { text: words? },
        "status" => SuccessSignal::StatusContains { text: words? },
        "route" => SuccessSignal::RouteChanged { pattern: words, exact: None },
        "dialog" => SuccessSignal::DialogOpened { target: element(rest) },
        "dialog-closed" => SuccessSignal::DialogClosed { target: element(rest) },
        "appears" => SuccessSignal::ElementAppeared { target: element(rest)? },
        "gone" => SuccessSignal::ElementDisappeared { target: element(rest)? },
        "value" => SuccessSignal::ValueEquals { target: about?.clone(), value: SignalValue::Text(words?) },
        "valid" => SuccessSignal::ValidationNone { scope: None },
        "network" => {
            let (glob, status) = match rest.rsplit_once('=') {
                Some((glob, status)) => (glob, Some(Count(status.parse().ok()?))),
                None => (rest, None),
            };
            SuccessSignal::NetworkResponse { url_pattern: (!glob.is_empty()).then(|| glob.into()), status }
        }
        _ => return None,
    })
}

/// `ROLE "NAME"`, `ROLE`, or `#STABLE-ID`.
fn element(text: &str) -> Option<TargetRef> {
    if let Some(id) = text.strip_prefix('#') {
        return Some(TargetRef::StableId { value: uiap_model::names::StableId::parse(id)? });
    }
    let (role, name) = text.split_once(' ').unwrap_or((text, ""));
    let name = name.trim().trim_matches('"');
    let name = (!name.is_empty()).then(|| name.into());
    Some(TargetRef::Semantic { role: UIRole::parse(role)?, name, scope: None })
}
