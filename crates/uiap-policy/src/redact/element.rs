//! Elements: every member that can hold a value, and the list of what was withheld.

use compact_str::CompactString;
use uiap_model::capability::{SuccessSignal, UIStateKey};
use uiap_model::names::Extension;
use uiap_model::policy::RedactionMode;
use uiap_model::web::ElementNode;

use super::plan::Plan;
use super::{REDACTED, Redactor};
use crate::situation::Situation;

/// Members outside of the state, under the names by which they are listed as withheld.
const NAME: &str = "x.uiap.name";
const OPTIONS: &str = "x.uiap.options";
const METADATA: &str = "x.uiap.metadata";
const SUCCESS: &str = "x.uiap.success";

/// An element on its way out.
struct Covering<'a> {
    plan: Plan<'a>,
    redactor: &'a Redactor,
    withheld: Vec<UIStateKey>,
}

impl Redactor {
    /// An element as it may be shown; `None` when nothing of it needs covering. `situation` tells where it stands.
    pub fn element(&self, element: &ElementNode, situation: &Situation<'_>) -> Option<ElementNode> {
        let plan = self.plan(&Situation { element: Some(element), ..*situation }, &[]);
        let mut covering = Covering { plan, redactor: self, withheld: Vec::new() };
        let mut shown = element.clone();
        covering.state(&mut shown);
        covering.content(&mut shown);
        covering.extras(&mut shown);
        if covering.withheld.is_empty() {
            return None;
        }
        let mut withheld = shown.redacted.take().unwrap_or_default();
        withheld.append(&mut covering.withheld);
        withheld.sort_unstable();
        withheld.dedup();
        shown.redacted = Some(withheld);
        Some(shown)
    }

    /// The values of an element that must not appear elsewhere.
    pub(super) fn hidden_values(
        &self,
        element: &ElementNode,
        situation: &Situation<'_>,
    ) -> Vec<CompactString> {
        let plan = self.plan(&Situation { element: Some(element), ..*situation }, &[]);
        let mut values = Vec::new();
        if plan.hides("textValue") {
            values.extend(element.state.text_value.clone());
        }
        if plan.hides("numericValue") {
            values.extend(
                element.state.numeric_value.map(|number| compact_str::format_compact!("{}", number.0)),
            );
        }
        if plan.hides("options") {
            let options = element.options.iter().flatten();
            values.extend(options.flat_map(|option| [option.value.clone(), option.label.clone()]));
        }
        if !element.role.is_field() && plan.hides("name") {
            values.extend(element.name.clone());
        }
        values
    }
}

impl Covering<'_> {
    fn text(&mut self, member: &str, key: UIStateKey, text: &mut Option<CompactString>) {
        let (mode, words) = self.plan.member(member);
        let words = words.cloned();
        self.cover((mode, words.as_ref()), key, text);
    }

    fn cover(
        &mut self,
        how: (RedactionMode, Option<&CompactString>),
        key: UIStateKey,
        text: &mut Option<CompactString>,
    ) {
        let Some(before) = text.as_ref() else { return };
        let after = self.plan.show(how, before);
        if after.as_ref() != Some(before) {
            self.withheld.push(key);
            *text = after;
        }
    }

    fn state(&mut self, element: &mut ElementNode) {
        let state = &mut element.state;
        self.text("textValue", UIStateKey::TextValue, &mut state.text_value);
        self.text("placeholder", UIStateKey::Placeholder, &mut state.placeholder);
        self.text("description", UIStateKey::Description, &mut state.description);
        if let Some(number) = state.numeric_value {
            let covered = self.plan.member("numericValue").0 > RedactionMode::None;
            if covered || self.redactor.secrets().occurs_in(&number.0.to_string()) {
                state.numeric_value = None;
                self.withheld.push(UIStateKey::NumericValue);
            }
        }
        let names: Vec<Extension> = state.extensions.keys().cloned().collect();
        for name in names {
            let hidden = self.plan.member(name.as_str()).0 > RedactionMode::None;
            let known = state
                .extensions
                .get(&name)
                .is_some_and(|value| self.redactor.secrets().occurs_in(&value.0.to_string()));
            if hidden || known {
                state.extensions.remove(&name);
                self.withheld.push(UIStateKey::X(name));
            }
        }
    }

    fn content(&mut self, element: &mut ElementNode) {
        let (mode, words) =
            if element.role.is_field() { self.plan.label() } else { self.plan.member("name") };
        let words = words.cloned();
        self.cover_named(NAME, (mode, words.as_ref()), &mut element.name);
        self.text("description", UIStateKey::Description, &mut element.description);
        let mut changed = false;
        for option in element.options.iter_mut().flatten() {
            for text in [&mut option.value, &mut option.label] {
                let shown =
                    self.plan.show(self.plan.member("options"), text).unwrap_or_else(|| REDACTED.into());
                changed |= shown != *text;
                *text = shown;
            }
        }
        if changed {
            self.withhold(OPTIONS);
        }
    }

    fn extras(&mut self, element: &mut ElementNode) {
        if let Some(metadata) = &element.metadata {
            let covered = self.plan.member("metadata").0 > RedactionMode::None;
            let shown = self.redactor.free(metadata);
            if covered || shown != **metadata {
                self.withhold(METADATA);
                element.metadata = (!covered).then(|| Box::new(shown));
            }
        }
        if let Some(success) = &mut element.success {
            let covered = self.plan.member("textValue").0 > RedactionMode::None;
            let before = success.len();
            success.retain(|signal| {
                let tells = covered
                    && matches!(
                        signal,
                        SuccessSignal::ValueEquals { .. } | SuccessSignal::ElementState { .. }
                    );
                !tells && !self.redactor.mentions(signal)
            });
            if success.len() != before {
                self.withhold(SUCCESS);
            }
        }
        if let Some(risk) = &mut element.risk
            && let Some(reason) = &mut risk.reason
        {
            *reason = self.redactor.text(reason).into();
        }
    }

    fn cover_named(
        &mut self,
        key: &str,
        how: (RedactionMode, Option<&CompactString>),
        text: &mut Option<CompactString>,
    ) {
        if let Some(key) = Extension::parse(key) {
            self.cover(how, UIStateKey::X(key), text);
        }
    }

    fn withhold(&mut self, key: &str) {
        self.withheld.extend(Extension::parse(key).map(UIStateKey::X));
    }
}

impl Redactor {
    /// Whether a signal names a covered value.
    pub(super) fn mentions(&self, signal: &SuccessSignal) -> bool {
        !self.secrets().is_empty()
            && serde_json::to_string(signal).is_ok_and(|text| self.secrets().occurs_in(&text))
    }
}
