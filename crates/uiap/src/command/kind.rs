//! Names of document kinds and message types, as `--as` and `uiap schema` take them.

use serde_json::Value;
use uiap_model::Problem;
use uiap_model::core::registry::{self, MESSAGES};
use uiap_model::document::{self, KINDS};
use uiap_model::shape::{Shape, Strictness, inspect, schema};

use crate::exit::{Exit, Failure};

/// A kind of document, or the payload of a message.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) module: &'static str,
    shape: fn() -> Shape,
    strictness: Strictness,
    check: fn(&Value) -> Vec<Problem>,
}

impl Kind {
    /// All of them: documents first, then payloads.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let documents = KINDS.iter().map(Self::of_document);
        let payloads = MESSAGES.iter().map(|spec| Self {
            name: spec.name,
            title: "Payload of the message",
            module: "message",
            shape: spec.payload,
            strictness: Strictness::Wire,
            check: spec.check,
        });
        documents.chain(payloads)
    }

    pub(crate) fn of_document(kind: &document::DocumentKind) -> Self {
        Self {
            name: kind.name,
            title: kind.title,
            module: kind.module,
            shape: kind.shape,
            strictness: kind.strictness,
            check: kind.check,
        }
    }

    /// The kind of that name, or an error with the nearest one.
    pub(crate) fn named(name: &str) -> anyhow::Result<Self> {
        let canonical = registry::find(name).map(|spec| spec.name);
        let found =
            Self::all().find(|kind| kind.name.eq_ignore_ascii_case(name) || Some(kind.name) == canonical);
        found.ok_or_else(|| {
            let names: Vec<&'static str> = Self::all().map(|kind| kind.name).collect();
            let hint = match uiap_model::suggest::nearest(name, names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`uiap schema` lists the kinds".to_owned(),
            };
            Failure { exit: Exit::Usage, message: format!("there is no kind `{name}`"), hint: Some(hint) }
                .into()
        })
    }

    /// Everything that is wrong with a document of this kind.
    pub(crate) fn validate(&self, value: &Value) -> Vec<Problem> {
        let problems = inspect(value, (self.shape)(), self.strictness);
        if problems.is_empty() { (self.check)(value) } else { problems }
    }

    /// Its JSON Schema.
    pub(crate) fn schema(&self) -> String {
        let value = schema::document(&self.path(), self.title, (self.shape)(), self.strictness);
        format!("{value:#}\n")
    }

    /// Where the schema lies below the folder of all schemas, without the ending.
    pub(crate) fn path(&self) -> String {
        let folder = if self.module == "message" { "messages" } else { "documents" };
        format!("{folder}/{}", self.name)
    }
}
