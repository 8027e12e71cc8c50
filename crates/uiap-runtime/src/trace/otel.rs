//! A trace as spans, in the JSON form of OpenTelemetry: one span for the action, one for each of its states, events for the rest.

use serde_json::{Value, json};

use super::step::{Line, Step};

/// The export of one or several traces, as a collector takes it at `/v1/traces`. Ids follow from the handles: the same trace
/// gives the same spans.
pub fn spans<'a>(service: &str, traces: impl IntoIterator<Item = &'a [Line]>) -> Value {
    let spans: Vec<Value> = traces.into_iter().flat_map(of_action).collect();
    json!({
        "resourceSpans": [{
            "resource": { "attributes": [text("service.name", service)] },
            "scopeSpans": [{ "scope": { "name": "uiap.action" }, "spans": spans }]
        }]
    })
}

fn of_action(lines: &[Line]) -> Vec<Value> {
    let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return Vec::new() };
    let handle = first.action_handle.as_str();
    let trace_id = format!("{:016x}{:016x}", hash(handle, 1), hash(handle, 2));
    let root = format!("{:016x}", hash(handle, 3));
    let clock = Clock::of(first);
    let mut spans = vec![json!({
        "traceId": trace_id,
        "spanId": root,
        "name": name(lines),
        "kind": 1,
        "startTimeUnixNano": clock.nanos(first),
        "endTimeUnixNano": clock.nanos(last),
        "attributes": attributes(handle, lines),
        "events": events(lines, &clock),
        "status": status(lines),
    })];
    let states: Vec<(&Line, &str)> = lines
        .iter()
        .filter_map(|line| match &line.step {
            Step::State { state } => Some((line, state.as_str())),
            _ => None,
        })
        .collect();
    for (at, (line, state)) in states.iter().enumerate() {
        // A state lasts until the next one; final ones last for no time.
        let end = states.get(at + 1).map_or(*line, |(next, _)| *next);
        spans.push(json!({
            "traceId": trace_id,
            "spanId": format!("{:016x}", hash(handle, 10 + line.seq)),
            "parentSpanId": root,
            "name": state,
            "kind": 1,
            "startTimeUnixNano": clock.nanos(line),
            "endTimeUnixNano": clock.nanos(end),
        }));
    }
    spans
}

fn name(lines: &[Line]) -> String {
    let asked = lines.iter().find_map(|line| match &line.step {
        Step::Request { action_id, .. } => Some(action_id.to_string()),
        _ => None,
    });
    asked.unwrap_or_else(|| "action".to_owned())
}

fn attributes(handle: &str, lines: &[Line]) -> Vec<Value> {
    let mut told = vec![text("uiap.action.handle", handle)];
    for line in lines {
        match &line.step {
            Step::Resolved { target, confidence, .. } => {
                told.push(text("uiap.target.role", target.role.as_str()));
                told.push(text("uiap.target.id", target.instance_id.as_str()));
                told.push(json!({ "key": "uiap.target.confidence", "value": { "doubleValue": confidence } }));
            }
            Step::Verdict { passed, class, .. } => {
                told.push(json!({ "key": "uiap.verified", "value": { "boolValue": passed } }));
                told.extend(class.as_ref().map(|class| text("uiap.failure.class", class)));
            }
            Step::Result { status, side_effect_state, .. } => {
                told.push(text("uiap.status", status.as_str()));
                told.push(text("uiap.side_effect", side_effect_state.as_str()));
            }
            _ => {}
        }
    }
    told
}

fn events(lines: &[Line], clock: &Clock) -> Vec<Value> {
    let told = lines.iter().filter_map(|line| {
        let name = match &line.step {
            Step::Decision { effect, .. } => format!("policy.{effect}"),
            Step::Confirmation { event } => format!("confirmation: {event}"),
            Step::Input { mode, command, .. } => format!("input.{command} {mode}"),
            Step::Signal { signal, .. } => format!("signal.{signal}"),
            Step::Changes { elements, .. } => format!("changes {elements}"),
            Step::Note { text } => text.clone(),
            _ => return None,
        };
        let mut event = json!({ "timeUnixNano": clock.nanos(line), "name": name });
        if let (Step::Signal { link, place, .. }, Some(event)) = (&line.step, event.as_object_mut()) {
            let mut told = vec![text("uiap.link", link)];
            told.extend(place.as_ref().map(|place| text("code.location", place)));
            event.insert("attributes".to_owned(), told.into());
        }
        Some(event)
    });
    told.collect()
}

/// 1 is fine, 2 is an error.
fn status(lines: &[Line]) -> Value {
    let end = lines.iter().rev().find_map(|line| match &line.step {
        Step::Result { code, message, .. } => Some((code, message)),
        _ => None,
    });
    match end {
        Some((Some(code), message)) => {
            json!({ "code": 2, "message": format!("{code}: {}", message.as_deref().unwrap_or_default()) })
        }
        Some((None, _)) => json!({ "code": 1 }),
        None => json!({ "code": 0 }),
    }
}

fn text(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

/// The time of day of the first line, and the clock that never jumps from there.
struct Clock(u128);

impl Clock {
    fn of(first: &Line) -> Self {
        let day = first.ts.as_ref().and_then(|ts| millis(ts.as_str())).unwrap_or_default();
        Self(u128::from(day) * 1_000_000)
    }

    /// As a string: JSON numbers do not hold so many digits.
    fn nanos(&self, line: &Line) -> String {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the duration of one action"
        )]
        let since = (line.at_ms.max(0.0) * 1_000_000.0) as u128;
        (self.0 + since).to_string()
    }
}

/// Milliseconds since 1970 of `YYYY-MM-DDTHH:MM:SS.mmmZ`.
fn millis(ts: &str) -> Option<u64> {
    let number = |from: usize, to: usize| ts.get(from..to)?.parse::<u64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let fraction = number(20, 23).unwrap_or_default();
    // Years begin in March, so that the leap day is the last one.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    let days = days.checked_sub(719_468)?;
    Some((((days * 24 + hour) * 60 + minute) * 60 + second) * 1_000 + fraction)
}

/// FNV-1a: stable, and nothing here needs more.
fn hash(text: &str, salt: u64) -> u64 {
    let seed = 0xcbf2_9ce4_8422_2325_u64 ^ salt.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    text.bytes().fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)).max(1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{millis, spans};
    use crate::trace::{Line, Step};

    #[test]
    fn a_signal_tells_how_it_belongs_to_the_action_and_where_it_was_asked_for() {
        let signal = |place: Option<&str>| Line {
            action_handle: uiap_model::names::ActionHandle::parse("act_1").unwrap(),
            seq: 1,
            at_ms: 0.0,
            ts: None,
            step: Step::Signal {
                signal: "network.response".to_owned(),
                link: "caused".to_owned(),
                text: String::new(),
                place: place.map(str::to_owned),
            },
        };
        let told = spans("app", [[signal(Some("app.js:12")), signal(None)].as_slice()]);
        let attributes = |event: usize| {
            let path = format!("/resourceSpans/0/scopeSpans/0/spans/0/events/{event}/attributes");
            told.pointer(&path).cloned().unwrap()
        };
        let link = json!({ "key": "uiap.link", "value": { "stringValue": "caused" } });
        let place = json!({ "key": "code.location", "value": { "stringValue": "app.js:12" } });
        assert_eq!((attributes(0), attributes(1)), (json!([link, place]), json!([link])));
    }

    #[test]
    fn instants_are_counted_from_1970() {
        assert_eq!(millis("1970-01-01T00:00:00.000Z"), Some(0));
        assert_eq!(millis("2000-02-29T00:00:00.005Z"), Some(951_782_400_005));
        assert_eq!(millis("2026-03-26T13:12:09.123Z"), Some(1_774_530_729_123));
        assert_eq!(millis("nonsense"), None);
    }
}
