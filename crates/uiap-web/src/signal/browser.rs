//! What the browser reports of a page, in the words of signals. Kinds that the protocol does not name travel as `custom`, under
//! names that begin with `browser.` and that no application can use.

use serde_json::{Map, Value, json};
use uiap_cdp::protocol::browser::{DownloadProgress, DownloadState, DownloadWillBegin};
use uiap_cdp::protocol::page::DialogType;
use uiap_cdp::protocol::runtime::{ConsoleApiCalled, ExceptionThrown, RemoteObject};
use uiap_model::json::{Count, JsonObject};
use uiap_model::web::signal::WebSignalBody;

use crate::dialog::{Answer, DialogOutcome, DialogReport};
use crate::network::{NetworkEvent, Outcome, redact};

/// The page wrote an error to its console.
pub const CONSOLE_ERROR: &str = "browser.console.error";
/// An exception of the page was caught by nobody.
pub const PAGE_ERROR: &str = "browser.page.error";
/// The renderer of the page crashed.
pub const CRASH: &str = "browser.crash";
/// A download began or ended.
pub const DOWNLOAD: &str = "browser.download";
/// The page opened another page.
pub const POPUP: &str = "browser.popup";
/// The page opened an alert, a question or a prompt, and it was answered.
pub const DIALOG: &str = "browser.dialog";
/// The page asked whether it may be left, and was answered.
pub const BEFOREUNLOAD: &str = "browser.beforeunload";
/// A request of the application got no answer.
pub const REQUEST_FAILED: &str = "browser.request.failed";
/// The page asked for a permission that it has not got. A browser without a window refuses it by itself.
pub const PERMISSION: &str = "browser.permission";
/// Too much of the same; what follows of it is not told.
pub const SUPPRESSED: &str = "browser.suppressed";
/// The application sent a signal that breaks the rules.
pub const SIGNAL_REFUSED: &str = "browser.signal.refused";
/// Events were lost here; state that follows from them must be asked for anew.
pub const LOST: &str = "browser.lost";

/// Longest text of the page that is passed on.
const MAX_TEXT: usize = 1_000;

/// A signal of that name.
pub(crate) fn custom(name: &str, payload: Value) -> WebSignalBody {
    let payload = match payload {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    WebSignalBody::Custom { name: name.into(), payload: Some(JsonObject(payload)) }
}

/// An answer to the application, or the failure of its request; what a document consists of is no news.
pub(crate) fn of_network(event: &NetworkEvent) -> Option<WebSignalBody> {
    let exchange = event.exchange();
    if !exchange.is_of_the_app() {
        return None;
    }
    match (event, &exchange.outcome) {
        (NetworkEvent::Answered(_), _) => {
            let status = Count(u64::from(exchange.status?));
            Some(WebSignalBody::NetworkResponse { url: exchange.url.as_str().into(), status })
        }
        (NetworkEvent::Ended(_), Outcome::Failed(reason)) => {
            let (url, method) = (&exchange.url, &exchange.method);
            Some(custom(REQUEST_FAILED, json!({ "url": url, "method": method, "reason": reason })))
        }
        _ => None,
    }
}

pub(crate) fn of_console(event: &ConsoleApiCalled) -> Option<WebSignalBody> {
    if !matches!(event.kind.as_str(), "error" | "assert") {
        return None;
    }
    let words: Vec<_> = event.args.iter().map(word).collect();
    let place = event.stack_trace.as_ref().and_then(|stack| stack.call_frames.first());
    let place = place.filter(|place| !place.url.is_empty());
    let mut payload = json!({ "text": cut(&words.join(" ")) });
    if let (Some(place), Some(payload)) = (place, payload.as_object_mut()) {
        payload.insert("place".into(), format!("{}:{}", redact(&place.url), place.line_number + 1).into());
    }
    Some(custom(CONSOLE_ERROR, payload))
}

fn word(object: &RemoteObject) -> String {
    let text = object.value_as::<Value>().ok().flatten().and_then(|value| value.as_str().map(str::to_owned));
    text.or_else(|| object.description.clone())
        .or_else(|| object.value.as_ref().map(|value| value.get().to_owned()))
        .or_else(|| object.unserializable_value.clone())
        .unwrap_or_else(|| object.kind.as_str().to_owned())
}

pub(crate) fn of_exception(event: &ExceptionThrown) -> WebSignalBody {
    let details = &event.exception_details;
    let thrown = details.exception.as_ref().map(word);
    // The first line says what went wrong; the rest is the way there.
    let text = thrown.as_deref().and_then(|text| text.lines().next()).unwrap_or(&details.text);
    let mut payload = json!({ "text": cut(text) });
    if let (Some(url), Some(payload)) = (&details.url, payload.as_object_mut()) {
        payload.insert("place".into(), format!("{}:{}", redact(url), details.line_number + 1).into());
    }
    custom(PAGE_ERROR, payload)
}

pub(crate) fn of_dialog(report: &DialogReport) -> WebSignalBody {
    let (answer, text) = match &report.done {
        DialogOutcome::Answered(Answer::Accept) => ("accepted", None),
        DialogOutcome::Answered(Answer::AcceptWith(text)) => ("accepted", Some(text)),
        DialogOutcome::Answered(Answer::Dismiss) => ("dismissed", None),
        DialogOutcome::Suppressed | DialogOutcome::Stopped => {
            let (what, stopped) = (report.kind.as_str(), report.done == DialogOutcome::Stopped);
            return custom(
                SUPPRESSED,
                json!({ "what": what, "text": cut(&report.message), "stopped": stopped }),
            );
        }
        DialogOutcome::Unanswered(_) => ("unanswered", None),
    };
    let mut payload = json!({ "type": report.kind.as_str(), "text": cut(&report.message), "answer": answer });
    if let (Some(text), Some(payload)) = (text, payload.as_object_mut()) {
        payload.insert("answerText".into(), text.as_str().into());
    }
    let leaving = report.kind == DialogType::Beforeunload;
    custom(if leaving { BEFOREUNLOAD } else { DIALOG }, payload)
}

pub(crate) fn of_download_start(event: &DownloadWillBegin) -> WebSignalBody {
    let payload = json!({
        "state": "started",
        "downloadId": event.guid.as_str(),
        "url": redact(&event.url),
        "suggestedName": file_name(&event.suggested_filename),
    });
    custom(DOWNLOAD, payload)
}

/// The end of a download; its progress is no news.
pub(crate) fn of_download_end(event: &DownloadProgress) -> Option<WebSignalBody> {
    let state = match event.state {
        DownloadState::Completed => "completed",
        DownloadState::Canceled => "cancelled",
        _ => return None,
    };
    let payload = json!({ "state": state, "downloadId": event.guid.as_str(), "bytes": event.received_bytes });
    Some(custom(DOWNLOAD, payload))
}

/// The last part of a name that the page chose: it never leads to another directory.
pub(crate) fn file_name(suggested: &str) -> String {
    let last = suggested.rsplit(['/', '\\']).next().unwrap_or_default();
    let clean: String = last.chars().filter(|each| !each.is_control()).take(255).collect();
    if clean.is_empty() || clean.chars().all(|each| each == '.') { "download".to_owned() } else { clean }
}

pub(crate) fn of_popup(url: &str, target: &str) -> WebSignalBody {
    custom(POPUP, json!({ "url": redact(url), "targetId": target }))
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suggested_name_leads_nowhere() {
        let cases = [
            ("a.csv", "a.csv"),
            ("../../etc/passwd", "passwd"),
            ("C:\\x\\y.txt", "y.txt"),
            ("..", "download"),
            ("a\0\nb", "ab"),
            ("", "download"),
        ];
        for (given, told) in cases {
            assert_eq!(file_name(given), told);
        }
    }
}
