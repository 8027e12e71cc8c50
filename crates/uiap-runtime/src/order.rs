//! Actions in short words, as people type them and models write them: `click`, `type`, `choose`, and what is expected of them.

mod expect;

use serde_json::{Map, Value, json};
use uiap_model::action::request::{ActionRequestPayload, ActionTarget};
use uiap_model::capability::TargetRef;
use uiap_model::json::{JsonObject, Positive};

pub use self::expect::expectation;

/// What a word stands for.
struct Verb {
    word: &'static str,
    action: &'static str,
    /// The argument that the text goes into.
    text: Option<&'static str>,
    /// Arguments that the word itself means.
    args: &'static str,
}

const fn verb(
    word: &'static str,
    action: &'static str,
    text: Option<&'static str>,
    args: &'static str,
) -> Verb {
    Verb { word, action, text, args }
}

const VERBS: &[Verb] = &[
    verb("click", "ui.activate", None, "{}"),
    verb("double_click", "ui.activate", None, r#"{"count":2}"#),
    verb("right_click", "ui.activate", None, r#"{"button":"right"}"#),
    verb("long_press", "ui.activate", None, r#"{"holdMs":800}"#),
    verb("tap", "ui.activate", None, r#"{"pointer":"touch"}"#),
    verb("press", "ui.activate", Some("keys"), "{}"),
    verb("type", "ui.enterText", Some("text"), "{}"),
    verb("append", "ui.enterText", Some("text"), r#"{"append":true}"#),
    verb("clear", "ui.clearText", None, "{}"),
    verb("set", "ui.setValue", Some("value"), "{}"),
    verb("choose", "ui.choose", Some("value"), "{}"),
    verb("toggle", "ui.toggle", None, "{}"),
    verb("check", "ui.toggle", None, r#"{"checked":true}"#),
    verb("uncheck", "ui.toggle", None, r#"{"checked":false}"#),
    verb("hover", "ui.hover", None, "{}"),
    verb("focus", "ui.focus", None, "{}"),
    verb("read", "ui.read", None, "{}"),
    verb("highlight", "ui.highlight", None, "{}"),
    verb("expand", "ui.expand", None, "{}"),
    verb("collapse", "ui.collapse", None, "{}"),
    verb("open", "ui.open", None, "{}"),
    verb("close", "ui.close", None, "{}"),
    verb("scroll_to", "ui.scrollIntoView", None, "{}"),
    verb("scroll", "ui.scroll", None, "{}"),
    verb("submit", "ui.submit", None, "{}"),
    verb("upload", "ui.upload", Some("files"), "{}"),
    verb("navigate", "nav.navigate", Some("url"), "{}"),
    verb("back", "nav.navigate", None, r#"{"history":-1}"#),
    verb("forward", "nav.navigate", None, r#"{"history":1}"#),
];

/// The short words, in the order in which they are taught.
pub fn words() -> impl Iterator<Item = &'static str> {
    VERBS.iter().map(|verb| verb.word)
}

/// An action in short words.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// A word, or the id of an action.
    pub action: String,
    /// To what.
    pub target: Option<ActionTarget>,
    /// What to type, choose, set, press, upload or open.
    pub text: Option<String>,
    /// Other arguments.
    pub args: Map<String, Value>,
    /// What must be seen, in short words or as signals.
    pub expect: Vec<String>,
    /// For how long at most.
    pub timeout_ms: Option<u64>,
}

/// What is wrong with an order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    /// The text has nowhere to go.
    #[error("`{0}` takes no text")]
    NoText(String),
    /// What is expected is not understood.
    #[error(
        "`{0}` cannot be expected; try toast:TEXT, status:TEXT, route:/PATH, dialog, dialog-closed, appears:ROLE \"NAME\", gone:ROLE \"NAME\", value:TEXT, valid or network:GLOB"
    )]
    Expect(String),
    /// The action has no name.
    #[error("`{0}` names no action")]
    Action(String),
}

impl Order {
    /// The request that it stands for.
    pub fn request(self) -> Result<ActionRequestPayload, OrderError> {
        let verb = VERBS.iter().find(|verb| verb.word == self.action);
        let id = verb.map_or(self.action.as_str(), |verb| verb.action);
        let action_id =
            uiap_model::names::ActionId::parse(id).ok_or_else(|| OrderError::Action(self.action.clone()))?;
        let mut args: Map<String, Value> =
            verb.and_then(|verb| serde_json::from_str(verb.args).ok()).unwrap_or_default();
        args.extend(self.args);
        // Whoever repeats what may have worked says that they know it.
        let acknowledges = args.remove("acknowledges").map(|handle| ("acknowledges".to_owned(), handle));
        if let Some(text) = self.text {
            let name = match verb {
                Some(verb) => verb.text.ok_or_else(|| OrderError::NoText(self.action.clone()))?,
                None => return Err(OrderError::NoText(self.action)),
            };
            let value = match name {
                "files" => json!([text]),
                // A number stays one: sliders and counters take it so.
                "value" if id == "ui.setValue" => {
                    text.trim().parse::<f64>().map_or_else(|_| json!(text), |number| json!(number))
                }
                _ => json!(text),
            };
            args.entry(name).or_insert(value);
        }
        let about = self.target.as_ref().and_then(about);
        let signals = self
            .expect
            .iter()
            .map(|word| expectation(word, about.as_ref()).ok_or_else(|| OrderError::Expect(word.clone())))
            .collect::<Result<Vec<_>, _>>()?;
        let verification = (!signals.is_empty()).then(|| uiap_model::action::VerificationSpec {
            policy: Some(uiap_model::action::VerificationPolicy::All),
            signals: Some(signals),
            timeout_ms: self.timeout_ms.and_then(|time| (time > 0).then_some(Positive(time))),
            require_revision_advance: None,
        });
        Ok(ActionRequestPayload {
            action_id,
            target: self.target,
            args: (!args.is_empty()).then_some(JsonObject(args)),
            preferred_execution_modes: None,
            verification,
            presentation: None,
            timeout_ms: self.timeout_ms.and_then(|time| (time > 0).then_some(Positive(time.max(1) + 5_000))),
            idempotency_key: None,
            metadata: acknowledges.map(|said| JsonObject(Map::from_iter([said]))),
        })
    }
}

/// The target in the words of the contract, for expectations about it.
fn about(target: &ActionTarget) -> Option<TargetRef> {
    use uiap_model::action::request::RequestTarget;
    match &target.r#ref {
        Some(RequestTarget::StableId { value }) => Some(TargetRef::StableId { value: value.clone() }),
        Some(RequestTarget::Semantic { role, name, scope }) => {
            Some(TargetRef::Semantic { role: role.clone(), name: name.clone(), scope: scope.clone() })
        }
        _ => target.expected_role.clone().map(|role| TargetRef::Semantic {
            role,
            name: target.expected_name.clone(),
            scope: target.expected_scope_id.clone(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_for_actions_and_their_text_for_an_argument() {
        let order = Order { action: "type".to_owned(), text: Some("hi".to_owned()), ..Order::default() };
        let request = order.request().unwrap();
        assert_eq!(request.action_id, "ui.enterText");
        assert_eq!(request.args.unwrap().0["text"], "hi");
        let order = Order { action: "set".to_owned(), text: Some("7".to_owned()), ..Order::default() };
        assert_eq!(order.request().unwrap().args.unwrap().0["value"], 7.0);
        let order = Order { action: "click".to_owned(), text: Some("7".to_owned()), ..Order::default() };
        assert_eq!(order.request(), Err(OrderError::NoText("click".to_owned())));
        let order = Order { action: "video.create".to_owned(), ..Order::default() };
        assert_eq!(order.request().unwrap().action_id, "video.create");
    }

    #[test]
    fn who_repeats_what_may_have_worked_can_say_so() {
        let args = json!({ "acknowledges": "act_1" }).as_object().cloned().unwrap();
        let request = Order { action: "click".to_owned(), args, ..Order::default() }.request().unwrap();
        assert_eq!(request.metadata.unwrap().0["acknowledges"], "act_1");
        assert!(request.args.is_none());
    }

    #[test]
    fn what_is_expected_is_understood_or_refused() {
        let order =
            Order { action: "click".to_owned(), expect: vec!["toast:Saved".to_owned()], ..Order::default() };
        let signals = order.request().unwrap().verification.unwrap().signals.unwrap();
        assert_eq!(
            serde_json::to_value(&signals).unwrap(),
            json!([{"kind": "toast.contains", "text": "Saved"}])
        );
        let order = Order { action: "click".to_owned(), expect: vec!["luck".to_owned()], ..Order::default() };
        assert!(matches!(order.request(), Err(OrderError::Expect(_))));
    }
}
