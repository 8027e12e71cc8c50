//! A trace as a person reads it.

use std::fmt::Write as _;

use super::step::{Line, Step};
use crate::text::quoted;

/// One line per step, with the time since the action was received.
pub fn story(lines: &[Line]) -> String {
    let mut text = String::new();
    for line in lines {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{:>8.1} ms  {}", line.at_ms, sentence(&line.step));
    }
    text
}

fn sentence(step: &Step) -> String {
    match step {
        Step::Request { action_id, args, intent } => {
            let args = args.as_ref().filter(|args| !args.0.is_empty());
            let args = args.map(|args| format!(" with {}", serde_json::json!(args.0))).unwrap_or_default();
            let intent = intent.as_deref().map(|intent| format!(" to {}", quoted(intent, 120)));
            format!("asked for {action_id}{args}{}", intent.unwrap_or_default())
        }
        Step::State { state } => format!("→ {state}"),
        Step::Resolved { target, confidence, others, note, revision } => {
            let name = target.name.as_deref().map(|name| quoted(name, 80)).unwrap_or_default();
            let others = match others.len() {
                0 => String::new(),
                count => format!(", {count} others considered"),
            };
            let note = note.as_ref().map(|note| format!("; {note}")).unwrap_or_default();
            format!(
                "found {} {name} by {} ({:.0} % certain, {revision}{others}){note}",
                target.role,
                target.by,
                confidence * 100.0
            )
        }
        Step::Decision { effect, rules, reasons } => {
            let rules = if rules.is_empty() { String::new() } else { format!(" by {}", rules.join(", ")) };
            format!("policy: {effect}{rules} ({})", reasons.join(", "))
        }
        Step::Confirmation { event } => format!("confirmation: {event}"),
        Step::Input { mode, command, outcome, error } => match error {
            Some(error) => format!("{command} through {mode} failed: {error}"),
            None if outcome.0.is_empty() => format!("{command} through {mode}"),
            None => format!("{command} through {mode}: {}", serde_json::json!(outcome.0)),
        },
        Step::Signal { signal, link, text, place } => {
            let place = place.as_ref().map(|place| format!(", asked for at {place}")).unwrap_or_default();
            format!("saw {signal} ({link}) {text}{place}")
        }
        Step::Changes { revision, elements, ambient } => {
            let own = if *ambient > 0 {
                format!(", {ambient} of them change by themselves")
            } else {
                String::new()
            };
            format!("saw {elements} elements change ({revision}{own})")
        }
        Step::Expected { combine, observed, missing, against, .. } => {
            let mut parts =
                vec![format!("expected {combine}: {} seen, {} missing", observed.len(), missing.len())];
            parts.extend(against.iter().map(|each| format!("against it: {each}")));
            parts.join("; ")
        }
        Step::Verdict { passed, class, reason, .. } => {
            let class = class.as_ref().map(|class| format!(" [{class}]")).unwrap_or_default();
            format!("verdict: {}{class}, {reason}", if *passed { "verified" } else { "not verified" })
        }
        Step::Note { text } => text.clone(),
        Step::Result { status, code, message, side_effect_state } => {
            let code = code.map(|code| format!(", {code}")).unwrap_or_default();
            let message = message.as_ref().map(|message| format!(": {message}")).unwrap_or_default();
            format!("result: {status}{code}{message} (side effect: {side_effect_state})")
        }
    }
}
