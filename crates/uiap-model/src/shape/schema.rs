//! Shapes as JSON Schema 2020-12, for editors and for peers in other languages.

use serde_json::{Map, Value, json};

use super::{Field, Literal, Record, Shape, Strictness, Tagged, Words};

const EXTENSION_PATTERN: &str = "^x\\.[!-~]+$";

/// The schema of `shape` as a document of its own.
pub fn document(id: &str, title: &str, shape: Shape, strictness: Strictness) -> Value {
    let mut writer = Writer { strict: strictness == Strictness::Authored, definitions: Map::new() };
    let root = writer.shape(shape);
    let mut out = Map::new();
    out.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    out.insert("$id".into(), json!(format!("https://uiap.dev/schemas/0.1/{id}.json")));
    out.insert("title".into(), json!(title));
    if let Value::Object(root) = root {
        out.extend(root);
    }
    writer.definitions.sort_keys();
    if !writer.definitions.is_empty() {
        out.insert("$defs".into(), Value::Object(writer.definitions));
    }
    Value::Object(out)
}

struct Writer {
    strict: bool,
    definitions: Map<String, Value>,
}

impl Writer {
    fn shape(&mut self, shape: Shape) -> Value {
        match shape {
            Shape::Any => json!({}),
            Shape::Null => json!({ "type": "null" }),
            Shape::Bool => json!({ "type": "boolean" }),
            Shape::Object => json!({ "type": "object" }),
            Shape::Text(rule) => self.named(rule.name, |_| {
                let mut out = described(rule.doc);
                out.insert("type".into(), json!("string"));
                if rule.min > 0 {
                    out.insert("minLength".into(), json!(rule.min));
                }
                if let Some(max) = rule.max {
                    out.insert("maxLength".into(), json!(max));
                }
                if let Some(pattern) = rule.pattern {
                    out.insert("pattern".into(), json!(pattern));
                }
                Value::Object(out)
            }),
            Shape::Number(rule) => {
                let mut out = Map::new();
                out.insert("type".into(), json!(if rule.integer { "integer" } else { "number" }));
                if let Some(min) = rule.min {
                    out.insert("minimum".into(), number(min));
                }
                if let Some(max) = rule.max {
                    out.insert("maximum".into(), number(max));
                }
                Value::Object(out)
            }
            Shape::Words(words) => self.named(words.name, |_| vocabulary(words)),
            Shape::Literals(literals) => self.named(literals.name, |_| {
                let values: Vec<Value> = literals.values.iter().map(literal).collect();
                let mut out = described(literals.doc);
                out.insert("enum".into(), Value::Array(values));
                Value::Object(out)
            }),
            Shape::List(item) => {
                let item = self.shape(item());
                json!({ "type": "array", "items": item })
            }
            Shape::Map { key, value } => {
                let key = self.shape(key());
                let value = self.shape(value());
                let mut out = Map::new();
                out.insert("type".into(), json!("object"));
                if key != json!({ "type": "string" }) {
                    out.insert("propertyNames".into(), key);
                }
                out.insert("additionalProperties".into(), value);
                Value::Object(out)
            }
            Shape::Record(record) => self.named(record.name, |writer| writer.record(record)),
            Shape::Tagged(tagged) => self.named(tagged.name, |writer| writer.tagged(tagged)),
            Shape::OneOf(one_of) => self.named(one_of.name, |writer| {
                let strictness = if writer.strict { Strictness::Authored } else { Strictness::Wire };
                let of: Vec<Value> = one_of.forms(strictness).map(|shape| writer.shape(shape)).collect();
                let mut out = described(one_of.doc);
                out.insert("anyOf".into(), Value::Array(of));
                Value::Object(out)
            }),
            Shape::Nullable(inner) => {
                let inner = self.shape(inner());
                json!({ "anyOf": [inner, { "type": "null" }] })
            }
        }
    }

    /// Writes the definition once and refers to it.
    fn named(&mut self, name: &str, write: impl FnOnce(&mut Self) -> Value) -> Value {
        if name.is_empty() {
            return write(self);
        }
        if !self.definitions.contains_key(name) {
            // Holds the place, so that a recursive type ends.
            self.definitions.insert(name.to_owned(), Value::Null);
            let definition = write(self);
            self.definitions.insert(name.to_owned(), definition);
        }
        json!({ "$ref": format!("#/$defs/{name}") })
    }

    fn record(&mut self, record: &Record) -> Value {
        let (fields, union) = record.members();
        let mut out = self.object(record.doc, None, fields.iter().copied());
        if record.extensions {
            out.insert("patternProperties".into(), json!({ EXTENSION_PATTERN: {} }));
            out.insert("additionalProperties".into(), json!(false));
        }
        if let Some(tagged) = union {
            out.remove("additionalProperties");
            let of: Vec<Value> = tagged
                .variants
                .iter()
                .map(|variant| {
                    let mut inner =
                        self.object(variant.doc, Some((tagged.tag, variant.value)), variant.fields);
                    inner.remove("additionalProperties");
                    Value::Object(inner)
                })
                .collect();
            out.insert("oneOf".into(), Value::Array(of));
            if self.strict {
                out.insert("unevaluatedProperties".into(), json!(false));
            }
        }
        Value::Object(out)
    }

    fn tagged(&mut self, tagged: &Tagged) -> Value {
        let of: Vec<Value> = tagged
            .variants
            .iter()
            .map(|variant| {
                Value::Object(self.object(variant.doc, Some((tagged.tag, variant.value)), variant.fields))
            })
            .collect();
        let mut out = described(tagged.doc);
        out.insert("oneOf".into(), Value::Array(of));
        Value::Object(out)
    }

    fn object<'f>(
        &mut self,
        doc: &str,
        tag: Option<(&str, &str)>,
        fields: impl IntoIterator<Item = &'f Field>,
    ) -> Map<String, Value> {
        let mut properties = Map::new();
        let mut required = Vec::new();
        if let Some((tag, value)) = tag {
            properties.insert(tag.to_owned(), json!({ "const": value }));
            required.push(json!(tag));
        }
        for field in fields {
            properties.insert(field.name.to_owned(), self.property(field));
            if field.required {
                required.push(json!(field.name));
            }
        }
        let mut out = described(doc);
        out.insert("type".into(), json!("object"));
        out.insert("properties".into(), Value::Object(properties));
        if !required.is_empty() {
            out.insert("required".into(), Value::Array(required));
        }
        if self.strict {
            out.insert("additionalProperties".into(), json!(false));
        }
        out
    }

    fn property(&mut self, field: &Field) -> Value {
        let mut schema = self.shape((field.shape)());
        if let Value::Object(out) = &mut schema {
            if field.min > 0 {
                out.insert("minItems".into(), json!(field.min));
            }
            if !field.doc.is_empty() {
                out.insert("description".into(), json!(field.doc));
            }
        }
        schema
    }
}

fn vocabulary(words: &Words) -> Value {
    let mut out = described(words.doc);
    let known = json!({ "enum": words.values });
    if words.open {
        out.insert("anyOf".into(), json!([known, { "type": "string", "pattern": EXTENSION_PATTERN }]));
    } else {
        out.insert("enum".into(), json!(words.values));
    }
    Value::Object(out)
}

fn literal(literal: &Literal) -> Value {
    match literal {
        Literal::Bool(value) => json!(value),
        Literal::Text(text) => json!(text),
    }
}

/// Whole numbers without `.0`.
fn number(value: f64) -> Value {
    serde_json::to_value(crate::json::Number(value)).unwrap_or(Value::Null)
}

fn described(doc: &str) -> Map<String, Value> {
    let mut out = Map::new();
    if !doc.is_empty() {
        out.insert("description".into(), json!(doc));
    }
    out
}
