//! How things look: everything that a template shows, as text. Templates escape it; nothing here writes markup.

use std::sync::Arc;
use std::time::Duration;

use askama::Template;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use uiap_model::action::ActionConfirmationRequestPayload;
use uiap_model::action::result::ActionStatus;
use uiap_model::names::ActionHandle;
use uiap_model::policy::message::HandoffRequestPayload;
use uiap_runtime::text::{Refs, TextOptions, page as page_text};

use super::entrance::{Booth, Login};
use crate::protocol::diary::{Deed, described};
use crate::protocol::question::{Question as Asked, Waiting};
use crate::protocol::session::lock;
use crate::protocol::{Part, Session};

/// Tokens of page text that a person is shown.
const TEXT_BUDGET: usize = 6_000;
/// Actions on the page of a session.
const MOST_DEEDS: usize = 50;

/// A page of ours under a status.
pub(super) fn page(status: StatusCode, template: &impl Template) -> Response {
    match template.render() {
        Ok(html) => {
            let mut response = (status, html).into_response();
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
            response
        }
        Err(error) => {
            tracing::error!(%error, "a page could not be written");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// Asks for the key.
#[derive(Template)]
#[template(path = "operator/enter.html")]
pub(super) struct Enter<'a> {
    place: &'a str,
    fault: Option<&'a str>,
}

impl<'a> Enter<'a> {
    pub(super) fn new(place: &'a str, fault: Option<&'a str>) -> Self {
        Self { place, fault }
    }
}

/// One sentence and the way back.
#[derive(Template)]
#[template(path = "operator/notice.html")]
pub(super) struct Notice<'a> {
    place: &'a str,
    message: &'a str,
}

impl<'a> Notice<'a> {
    pub(super) fn new(place: &'a str, message: &'a str) -> Self {
        Self { place, message }
    }
}

/// All sessions.
#[derive(Template)]
#[template(path = "operator/sessions.html")]
pub(super) struct Sessions<'a> {
    place: &'a str,
    form: &'a str,
    questions: Vec<Question>,
    rows: Vec<Row>,
    /// Where an answer leads back to.
    back: &'a str,
}

impl<'a> Sessions<'a> {
    pub(super) fn new(booth: &'a Booth, login: &'a Login) -> Self {
        let questions = questions(booth, None);
        let rows = booth.house.everybody().iter().map(|session| Row::new(session, &questions)).collect();
        Self { place: &booth.place, form: login.form.expose(), questions, rows, back: "" }
    }
}

/// One session.
#[derive(Template)]
#[template(path = "operator/session.html")]
pub(super) struct OneSession<'a> {
    place: &'a str,
    form: &'a str,
    questions: Vec<Question>,
    row: Row,
    /// The revision that the picture shows; none when there is no page.
    revision: Option<String>,
    text: String,
    left_out: usize,
    fault: Option<String>,
    deeds: Vec<Line>,
    back: &'a str,
}

impl<'a> OneSession<'a> {
    pub(super) fn new(booth: &'a Booth, login: &'a Login, session: &'a Arc<Session>) -> Self {
        let questions = questions(booth, Some(session));
        let row = Row::new(session, &questions);
        let showing = session.eye.glance();
        let options = TextOptions { budget: Some(TEXT_BUDGET), scope: None };
        let written = showing.as_ref().map(|showing| page_text(&showing.graph, &mut Refs::new(), &options));
        let (text, left_out) = written.map_or_else(Default::default, |page| (page.text, page.left_out));
        let deeds: Vec<Deed> = lock(&session.diary).latest().take(MOST_DEEDS).cloned().collect();
        Self {
            place: &booth.place,
            form: login.form.expose(),
            questions,
            row,
            revision: showing.map(|showing| showing.graph.revision.to_string()),
            text,
            left_out,
            fault: session.eye.fault().map(|fault| fault.to_string()),
            deeds: deeds.into_iter().map(|deed| Line::new(session, deed)).collect(),
            back: session.id().as_str(),
        }
    }
}

/// A session in a few words.
struct Row {
    id: String,
    /// What the credential proves.
    who: String,
    /// What the peer says; a claim.
    calls_itself: String,
    is_person: bool,
    since: Time,
    state: &'static str,
    url: String,
    title: String,
    actions: u64,
    last: Option<Mark>,
    waiting: usize,
}

impl Row {
    fn new(session: &Session, questions: &[Question]) -> Self {
        let showing = session.eye.glance();
        let route = showing.as_ref().map(|showing| &showing.graph.route);
        let diary = lock(&session.diary);
        let id = session.id().to_string();
        let peer = &session.peer;
        Self {
            who: session.owner.id.to_string(),
            calls_itself: peer.name.as_deref().unwrap_or(peer.id.as_str()).to_owned(),
            is_person: session.owner.part == Part::Approver,
            since: Time::new(&session.since),
            state: session.state().as_str(),
            url: route.map(|route| route.url.to_string()).unwrap_or_default(),
            title: route.and_then(|route| route.title.as_ref()).map(ToString::to_string).unwrap_or_default(),
            actions: diary.count(),
            last: diary.latest().next().map(Mark::new),
            waiting: questions.iter().filter(|question| question.session == id).count(),
            id,
        }
    }
}

/// A moment: as a machine reads it, and as a person does.
struct Time {
    full: String,
    clock: String,
}

impl Time {
    fn new(full: &str) -> Self {
        let clock = full.get(11..19).map_or_else(|| full.to_owned(), |clock| format!("{clock} UTC"));
        Self { full: full.to_owned(), clock }
    }
}

/// How an action stands, in a word, and whether that is good.
struct Mark {
    word: String,
    tone: &'static str,
}

impl Mark {
    fn new(deed: &Deed) -> Self {
        let Some(ending) = &deed.ending else {
            let tone = if deed.stage == "awaiting_confirmation" { "wait" } else { "busy" };
            return Self { word: deed.stage.replace('_', " "), tone };
        };
        let tone = match ending.status {
            ActionStatus::Succeeded => "good",
            ActionStatus::Cancelled => "plain",
            ActionStatus::Failed => "bad",
        };
        Self { word: ending.status.to_string(), tone }
    }
}

/// An action and its story.
struct Line {
    id: String,
    action: String,
    target: String,
    intent: Option<String>,
    at: Time,
    mark: Mark,
    verdict: String,
    story: String,
}

impl Line {
    fn new(session: &Session, deed: Deed) -> Self {
        let mark = Mark::new(&deed);
        let verdict = match &deed.ending {
            None => String::new(),
            Some(ending) => {
                let seen = format!("{} seen, {} missing", ending.seen, ending.missing);
                let error = ending.error.as_ref().map(|(code, message)| format!("{code}: {message} · "));
                format!("{}{seen} · side effect {}", error.unwrap_or_default(), ending.side_effect)
            }
        };
        let story = deed.story.or_else(|| session.story(&deed.handle)).unwrap_or_default();
        Self {
            id: deed.handle.to_string(),
            action: deed.action_id.to_string(),
            target: deed.target.unwrap_or_default(),
            intent: deed.intent,
            at: Time::new(&deed.at),
            mark,
            verdict,
            story,
        }
    }
}

/// Everything that a person needs to answer.
struct Question {
    handle: String,
    session: String,
    who: String,
    /// None: a person is to do it, and this is the name under which it is reported.
    handoff: Option<String>,
    action: String,
    summary: String,
    page: String,
    target: String,
    place_in_page: String,
    args: Vec<(String, String)>,
    risk: String,
    tags: String,
    why: String,
    /// What the policy said, and by which rule.
    policy: String,
    intent: Option<String>,
    since: Time,
    left: Option<u64>,
    story: String,
}

fn questions(booth: &Booth, of: Option<&Arc<Session>>) -> Vec<Question> {
    let all = booth.house.waiting().into_iter();
    all.filter_map(|(handle, waiting)| {
        let session = waiting.session.upgrade()?;
        if of.is_some_and(|wanted| !Arc::ptr_eq(wanted, &session)) {
            return None;
        }
        Some(Question::new(&handle, &waiting, &session))
    })
    .collect()
}

impl Question {
    fn new(handle: &ActionHandle, waiting: &Waiting, session: &Session) -> Self {
        let intent = lock(&session.diary)
            .latest()
            .find(|deed| deed.handle == *handle)
            .and_then(|deed| deed.intent.clone());
        let story = session.story(handle).unwrap_or_default();
        let said = story.lines().rev().find_map(|line| line.split_once("policy: "));
        let blank = Self {
            handle: handle.to_string(),
            session: session.id().to_string(),
            who: session.owner.id.to_string(),
            handoff: None,
            action: String::new(),
            summary: String::new(),
            page: waiting.page.as_ref().map(ToString::to_string).unwrap_or_default(),
            target: String::new(),
            place_in_page: String::new(),
            args: Vec::new(),
            risk: String::new(),
            tags: String::new(),
            why: String::new(),
            policy: said.map(|(_, said)| said.to_owned()).unwrap_or_default(),
            intent,
            since: Time::new(&waiting.since),
            left: waiting.left().map(seconds),
            story,
        };
        match &waiting.question {
            Asked::Confirmation(request) => blank.confirmation(request),
            Asked::Handoff(request) => blank.handed_over(request),
        }
    }

    fn confirmation(self, request: &ActionConfirmationRequestPayload) -> Self {
        let preview = request.preview.as_ref();
        let target = preview.and_then(|preview| preview.target.as_ref());
        let args = preview.and_then(|preview| preview.args.as_ref());
        let tags = request.risk.tags.iter().flatten().map(ToString::to_string);
        Self {
            action: request.action_id.to_string(),
            summary: preview
                .and_then(|preview| preview.summary.as_ref())
                .map(ToString::to_string)
                .unwrap_or_default(),
            target: target.map(described).unwrap_or_default(),
            place_in_page: target
                .and_then(|target| target.scope_id.as_ref())
                .map(ToString::to_string)
                .unwrap_or_default(),
            args: args.map(|args| args.0.iter().map(argument).collect()).unwrap_or_default(),
            risk: request.risk.level.to_string(),
            tags: tags.collect::<Vec<_>>().join(", "),
            why: request.risk.reason.as_ref().map(ToString::to_string).unwrap_or_default(),
            ..self
        }
    }

    fn handed_over(self, request: &HandoffRequestPayload) -> Self {
        Self {
            handoff: Some(request.handoff_id.to_string()),
            action: request.action_id.as_ref().map(ToString::to_string).unwrap_or_default(),
            summary: "A person has to do this step.".to_owned(),
            why: request.reason.to_string(),
            ..self
        }
    }
}

fn argument((name, value): (&String, &serde_json::Value)) -> (String, String) {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    (name.clone(), uiap_policy::redact::displayable(&text))
}

fn seconds(left: Duration) -> u64 {
    left.as_secs()
}
