//! What happened on the way: one item for each thing that a person should know.

use compact_str::CompactString;
use uiap_model::discovery::EvidenceSource;
use uiap_model::discovery::review::{ReviewItemKind, ReviewSeverity};

use super::{Draft, Material};
use crate::derive::evidence::Book;
use crate::record::{CAUSE, Incident, IncidentKind};

pub(super) fn look(material: &Material<'_>, book: &mut Book, drafts: &mut Vec<Draft>) {
    let mut incidents: Vec<&Incident> = material.incidents.iter().collect();
    incidents.sort_by(|a, b| {
        (a.kind, &a.state_id, &a.url, &a.detail).cmp(&(b.kind, &b.state_id, &b.url, &b.detail))
    });
    for incident in incidents {
        let (kind, severity, title, remediation) = rating(incident.kind);
        let at = incident.url.as_deref().map(|url| format!(" at `{url}`")).unwrap_or_default();
        let state = incident.state_id.as_ref().filter(|id| material.context.survey.states.contains_key(*id));
        let evidence = match state {
            Some(state) => vec![book.seen(EvidenceSource::Dom, state)],
            None => vec![book.told(EvidenceSource::Network, &format!("incident:{:?}", incident.kind))],
        };
        let route =
            state.and_then(|state| material.context.routes.of_state(state)).map(|route| route.id.clone());
        let about =
            format!("{:?} {:?} {:?} {}", incident.kind, incident.state_id, incident.url, incident.detail);
        let text = format!("{title}{at}: {}", incident.detail);
        let mut draft = Draft::new(kind, severity, about, text);
        // The same write of many controls is one thing to know.
        if let Some((held, by)) = incident.detail.split_once(CAUSE) {
            draft =
                draft.asks(format!("{title}: {held}. It came of several controls.")).of(by.replace('`', ""));
        }
        drafts.push(draft.mend(remediation).at(route, None::<CompactString>).by(evidence));
    }
}

fn rating(kind: IncidentKind) -> (ReviewItemKind, ReviewSeverity, &'static str, &'static str) {
    use IncidentKind as Kind;
    use ReviewItemKind::{CoverageGap, Custom, UnsafeActionCandidate};
    use ReviewSeverity::{High, Low, Medium};
    match kind {
        Kind::Unreachable => (
            CoverageGap,
            Medium,
            "The address did not answer",
            "See that the app runs and that the address is right.",
        ),
        Kind::TlsError => (
            CoverageGap,
            High,
            "The certificate was refused",
            "Install a certificate that the browser accepts.",
        ),
        Kind::ServerError => {
            (CoverageGap, Medium, "The server answered with an error", "Look into the app's log.")
        }
        Kind::RedirectLoop => {
            (CoverageGap, Medium, "Redirects without end", "Mend the redirects, or leave the address out.")
        }
        Kind::SessionExpired => (
            CoverageGap,
            High,
            "The session ended in the middle",
            "Give the run a longer session, or a login that it can repeat.",
        ),
        Kind::NeverSettled => (
            CoverageGap,
            Low,
            "The page never came to rest",
            "Let the page stop changing by itself, or mark what moves.",
        ),
        Kind::Download => {
            (Custom, Low, "A file was offered and refused", "Say in a manifest what the download is for.")
        }
        Kind::Popup => {
            (Custom, Low, "A window was opened and closed", "Say in a manifest what opens in another window.")
        }
        Kind::BeforeUnload => (
            Custom,
            Low,
            "The page asked before it was left",
            "Nothing needs to be done; agents will meet the question too.",
        ),
        Kind::Dialog => (
            Custom,
            Low,
            "A dialog of the browser was dismissed",
            "Use a dialog of the app, which can be observed.",
        ),
        Kind::BasicAuth => (
            CoverageGap,
            Medium,
            "The server asked for a name and a password",
            "Give the run a login for it.",
        ),
        Kind::ExternalOrigin => (
            CoverageGap,
            Low,
            "An address outside of the app was not visited",
            "Add the origin to the run if it belongs to the app.",
        ),
        Kind::WriteHeld => {
            (UnsafeActionCandidate, High, "A write was held back", "Declare the risk of what caused it.")
        }
        Kind::SelfWrite => (
            Custom,
            Low,
            "The page writes by itself",
            "Nothing needs to be done if it is a heartbeat or a view state.",
        ),
        Kind::NotReproducible => {
            (Custom, Medium, "The same action led somewhere else", "Find out what it depends on.")
        }
        Kind::LostState => {
            (CoverageGap, Medium, "The way back to a state was lost", "Give the state an address of its own.")
        }
        Kind::Endless => (
            CoverageGap,
            Low,
            "More of the same than the run looks at",
            "Raise the limit for this route if the rest matters.",
        ),
        Kind::Crash => {
            (CoverageGap, High, "The page or the browser crashed", "Look into what the page does there.")
        }
        Kind::Malformed => {
            (Custom, Medium, "The app describes itself wrongly", "Mend what it says; it was not used.")
        }
        Kind::BudgetReached => {
            (CoverageGap, Medium, "A limit ended the run", "Raise the limit to see the rest.")
        }
        Kind::Interrupted => {
            (CoverageGap, High, "Nobody knows whether it was done", "Look in the app whether it was.")
        }
    }
}
