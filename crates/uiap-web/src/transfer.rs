//! How a graph travels from the page: shapes once, then five values for each element, decoded straight into the model.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use uiap_model::names::ElementInstanceId;
use uiap_model::web::element::ElementPatch;
use uiap_model::web::graph::Viewport;
use uiap_model::web::{DocumentNode, ElementNode, FocusState, RouteState, ScopeNode};

/// A whole graph as the script writes it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Sent<'a> {
    pub(crate) route: RouteState,
    pub(crate) viewport: Viewport,
    pub(crate) locale: Option<String>,
    pub(crate) modal_stack: Vec<uiap_model::names::ScopeId>,
    pub(crate) focus: Option<FocusState>,
    pub(crate) truncated: bool,
    pub(crate) omitted: Option<Omitted>,
    pub(crate) success: BTreeMap<String, String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) next_id: u64,
    shapes: Vec<ElementNode>,
    #[serde(borrow)]
    documents: Vec<SentDocument<'a>>,
}

/// What a budget left out.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct Omitted {
    /// Elements that would have been published.
    pub(crate) elements: u64,
    /// Children of long collections that were not looked at.
    pub(crate) children: u64,
}

#[derive(Deserialize)]
struct SentDocument<'a> {
    head: DocumentNode,
    #[serde(borrow)]
    scopes: Vec<SentScope<'a>>,
}

#[derive(Deserialize)]
struct SentScope<'a> {
    head: ScopeNode,
    #[serde(borrow)]
    elements: &'a RawValue,
}

impl Sent<'_> {
    /// The documents with their scopes and elements.
    pub(crate) fn documents(&mut self) -> Result<Vec<DocumentNode>, serde_json::Error> {
        let shapes = std::mem::take(&mut self.shapes);
        let decode = |sent: SentDocument<'_>| {
            let mut document = sent.head;
            for scope in sent.scopes {
                let mut head = scope.head;
                head.elements = Rows { shapes: &shapes }
                    .deserialize(&mut serde_json::Deserializer::from_str(scope.elements.get()))?;
                document.scopes.push(head);
            }
            Ok(document)
        };
        std::mem::take(&mut self.documents).into_iter().map(decode).collect()
    }
}

/// Elements as rows of five values: number, shape, number of the parent, name, more.
struct Rows<'s> {
    shapes: &'s [ElementNode],
}

impl<'de> DeserializeSeed<'de> for Rows<'_> {
    type Value = Vec<Arc<ElementNode>>;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        input.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Rows<'_> {
    type Value = Vec<Arc<ElementNode>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("rows of elements")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut row: A) -> Result<Self::Value, A::Error> {
        let mut elements = Vec::new();
        while let Some(number) = row.next_element::<u64>()? {
            let broken = || A::Error::custom("a row of an element is broken");
            let shape: usize = row.next_element()?.ok_or_else(broken)?;
            let parent: u64 = row.next_element()?.ok_or_else(broken)?;
            let name: Name<'de> = row.next_element()?.ok_or_else(broken)?;
            let more: More = row.next_element()?.ok_or_else(broken)?;
            let mut element = self.shapes.get(shape).ok_or_else(broken)?.clone();
            element.instance_id = instance(number).ok_or_else(broken)?;
            element.name = name.0.map(|name| (&*name).into());
            element.parent_instance_id = if parent == 0 { None } else { instance(parent) };
            if let Some(more) = more.0 {
                more.apply(&mut element);
            }
            elements.push(Arc::new(element));
        }
        elements.shrink_to_fit();
        Ok(elements)
    }
}

/// The instance id of that number.
fn instance(number: u64) -> Option<ElementInstanceId> {
    ElementInstanceId::parse(&format!("e{number}"))
}

/// A text, or 0 for none.
struct Name<'a>(Option<Cow<'a, str>>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Name<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or 0")
            }
            fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
                Ok(Name(None))
            }
            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Name(Some(Cow::Borrowed(text))))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Name(Some(Cow::Owned(text.to_owned()))))
            }
        }
        input.deserialize_any(Reader)
    }
}

/// Members beyond the shape, or 0 for none.
struct More(Option<Box<ElementPatch>>);

impl<'de> Deserialize<'de> for More {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = More;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("members of an element or 0")
            }
            fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
                Ok(More(None))
            }
            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
                let patch = ElementPatch::deserialize(MapAccessDeserializer::new(members))?;
                Ok(More(Some(Box::new(patch))))
            }
        }
        input.deserialize_any(Reader)
    }
}
