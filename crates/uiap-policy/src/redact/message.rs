//! Signals, progress, results and previews.

use compact_str::CompactString;
use uiap_model::action::confirmation::ConfirmationPreview;
use uiap_model::action::result::ResolvedTarget;
use uiap_model::action::{ActionProgressPayload, ActionResultPayload};
use uiap_model::capability::SuccessSignal;
use uiap_model::policy::DataClass;
use uiap_model::web::{WebSignal, WebSignalBody};

use super::Redactor;
use crate::situation::Situation;

/// No text of a preview is longer.
const LONGEST: usize = 500;

/// Text from page or agent, made safe to be shown to a person who decides by it: no control characters, nothing that
/// turns the direction of writing, bounded.
pub fn displayable(text: &str) -> String {
    let turns = |each: char| matches!(each, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    text.chars().filter(|each| !each.is_control() && !turns(*each)).take(LONGEST).collect()
}

impl Redactor {
    /// A signal as it may be shown. `classes` are those of what it speaks of, where that is known.
    pub fn signal(&self, signal: &WebSignal, classes: &[DataClass]) -> WebSignal {
        let mut shown = signal.clone();
        match &mut shown.body {
            WebSignalBody::RouteChanged { from, to } => {
                for route in from.iter_mut() {
                    self.cover_route(route);
                }
                self.cover_route(to);
            }
            WebSignalBody::ToastShown { text, .. } => *text = self.classified(text, None, classes),
            WebSignalBody::StatusChanged { text, scope_id } => {
                *text = self.classified(text, scope_id.as_ref().map(AsRef::as_ref), classes);
            }
            WebSignalBody::ValidationChanged { scope_id, issues } => {
                self.cover_issues(issues);
                for issue in issues {
                    issue.message =
                        self.classified(&issue.message, scope_id.as_ref().map(AsRef::as_ref), classes);
                }
            }
            WebSignalBody::EntityCreated { entity_id, data, .. }
            | WebSignalBody::EntityUpdated { entity_id, data, .. }
            | WebSignalBody::EntityDeleted { entity_id, data, .. } => {
                self.scrub(entity_id);
                *data = data.as_ref().map(|data| self.object(data, &Situation::default(), classes));
            }
            WebSignalBody::NetworkResponse { url, .. } => *url = self.url(url).into(),
            WebSignalBody::Custom { payload, .. } => {
                *payload =
                    payload.as_ref().map(|payload| self.object(payload, &Situation::default(), classes));
            }
            WebSignalBody::DialogOpened { .. }
            | WebSignalBody::DialogClosed { .. }
            | WebSignalBody::FocusChanged { .. }
            | WebSignalBody::BusyChanged { .. }
            | WebSignalBody::CollectionChanged { .. }
            | WebSignalBody::UserActivation { .. } => {}
        }
        shown
    }

    /// A progress message as it may be shown.
    pub fn progress(
        &self,
        progress: &ActionProgressPayload,
        situation: &Situation<'_>,
    ) -> ActionProgressPayload {
        let mut shown = progress.clone();
        self.scrub(&mut shown.note);
        shown.detail = shown.detail.as_ref().map(|detail| self.object(detail, situation, &[]));
        if let Some(target) = &mut shown.resolved_target {
            self.cover_target(target, situation);
        }
        shown
    }

    /// A result as it may be shown.
    pub fn result(&self, result: &ActionResultPayload, situation: &Situation<'_>) -> ActionResultPayload {
        let mut shown = result.clone();
        shown.return_value = shown.return_value.as_ref().map(|value| self.object(value, situation, &[]));
        shown.metadata = shown.metadata.as_ref().map(|metadata| self.object(metadata, situation, &[]));
        if let Some(target) = &mut shown.resolved_target {
            self.cover_target(target, situation);
        }
        if let Some(error) = &mut shown.error {
            error.message = self.text(&error.message).into();
            error.detail = error.detail.as_ref().map(|detail| self.object(detail, situation, &[]));
        }
        let hides = self.plan(situation, &[]).hides("textValue");
        let tells = |signal: &SuccessSignal| hides && matches!(signal, SuccessSignal::ValueEquals { .. });
        shown.verification.observed.retain(|signal| !tells(signal) && !self.mentions(signal));
        if let Some(missing) = &mut shown.verification.missing {
            missing.retain(|signal| !tells(signal) && !self.mentions(signal));
        }
        shown
    }

    /// What a person is asked about, as it may be shown.
    pub fn preview(&self, preview: &ConfirmationPreview, situation: &Situation<'_>) -> ConfirmationPreview {
        let mut shown = preview.clone();
        shown.summary = shown.summary.as_ref().map(|summary| displayable(&self.text(summary)).into());
        shown.args = shown.args.as_ref().map(|args| self.object(args, situation, &[]));
        if let Some(target) = &mut shown.target {
            self.cover_target(target, situation);
        }
        shown
    }

    fn classified(&self, text: &str, scope_id: Option<&str>, classes: &[DataClass]) -> CompactString {
        let plan = self.plan(&Situation { scope_id, ..Situation::default() }, classes);
        plan.show(plan.member("text"), text).unwrap_or_else(|| super::REDACTED.into())
    }

    fn cover_target(&self, target: &mut ResolvedTarget, situation: &Situation<'_>) {
        let plan = self.plan(situation, &[]);
        let how = if target.role.is_field() { plan.label() } else { plan.member("name") };
        target.name = target.name.as_ref().and_then(|name| plan.show(how, name));
    }
}
