//! Good documents made from the shapes, and bad ones made from the good.

use serde_json::{Map, Value, json};
use uiap_model::shape::{Field, Literal, Record, Shape, Tagged};

/// Strings of every form that a rule may ask for.
const TEXTS: &[&str] = &[
    "video.title",
    "0.1",
    "2026-03-26T13:12:09.123Z",
    "x.acme.foo",
    "ws@0.1",
    "/payload/target",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "uiap.policy",
];

/// Every document that the shape can give by choosing one thing differently.
pub(crate) fn samples(shape: Shape) -> Vec<Value> {
    let mut out = vec![sample(shape, Fill::Least, 0), sample(shape, Fill::Most, 0)];
    if let Shape::Tagged(tagged) = shape {
        out = variants(tagged, &[], 0);
    }
    if let Shape::Record(record) = shape
        && let (fields, Some(tagged)) = record.members()
    {
        out.extend(variants(tagged, &fields, 0));
    }
    out
}

#[derive(Clone, Copy, PartialEq)]
enum Fill {
    Least,
    Most,
}

fn variants(tagged: &Tagged, shared: &[&'static Field], depth: usize) -> Vec<Value> {
    let each = 0..tagged.variants.len();
    each.flat_map(|index| [Fill::Least, Fill::Most].map(|fill| variant(tagged, index, shared, fill, depth)))
        .collect()
}

fn variant(tagged: &Tagged, index: usize, shared: &[&'static Field], fill: Fill, depth: usize) -> Value {
    let variant = &tagged.variants[index];
    let mut out = members(shared.iter().copied(), fill, depth);
    out.insert(tagged.tag.to_owned(), json!(variant.value));
    out.extend(members(variant.fields.iter(), fill, depth));
    Value::Object(out)
}

fn members(fields: impl Iterator<Item = &'static Field>, fill: Fill, depth: usize) -> Map<String, Value> {
    fields
        .filter(|field| field.required || (fill == Fill::Most && depth < 7))
        .map(|field| {
            let mut value = sample((field.shape)(), fill, depth + 1);
            if field.min > 0 && value == json!([]) {
                let Shape::List(item) = (field.shape)() else { panic!("min belongs to lists") };
                value = json!([sample(item(), Fill::Least, depth + 1)]);
            }
            (field.name.to_owned(), value)
        })
        .collect()
}

fn record(record: &Record, fill: Fill, depth: usize) -> Value {
    let (fields, union) = record.members();
    let mut out = members(fields.into_iter(), fill, depth);
    if let Some(tagged) = union {
        let variant = &tagged.variants[depth % tagged.variants.len()];
        out.insert(tagged.tag.to_owned(), json!(variant.value));
        out.extend(members(variant.fields.iter(), fill, depth));
    }
    if record.extensions && fill == Fill::Most {
        out.insert("x.acme.more".to_owned(), json!({ "any": [1] }));
    }
    Value::Object(out)
}

fn sample(shape: Shape, fill: Fill, depth: usize) -> Value {
    match shape {
        Shape::Any => json!({ "any": [1, "two", null, 2.5] }),
        Shape::Null => Value::Null,
        Shape::Bool => json!(true),
        Shape::Text(rule) => {
            json!(
                TEXTS
                    .iter()
                    .find(|text| (rule.accepts)(text))
                    .unwrap_or_else(|| panic!("no sample for {}", rule.name))
            )
        }
        Shape::Number(rule) => {
            if rule.integer {
                json!(3)
            } else {
                json!(2.5)
            }
        }
        Shape::Words(words) if words.open && fill == Fill::Most && depth.is_multiple_of(3) => {
            json!("x.acme.word")
        }
        Shape::Words(words) => json!(words.values[depth % words.values.len()]),
        Shape::Literals(literals) => match literals.values[depth % literals.values.len()] {
            Literal::Bool(value) => json!(value),
            Literal::Text(text) => json!(text),
        },
        Shape::List(_) if fill == Fill::Least || depth > 9 => json!([]),
        Shape::List(item) => json!([sample(item(), fill, depth + 1), sample(item(), Fill::Least, depth + 2)]),
        Shape::Map { .. } if fill == Fill::Least || depth > 9 => json!({}),
        Shape::Map { key, value } => {
            let Value::String(name) = sample(key(), fill, depth) else { panic!("names are strings") };
            json!({ name: sample(value(), fill, depth + 1) })
        }
        Shape::Object => json!({ "any": { "thing": 1 } }),
        Shape::Record(shape) => record(shape, fill, depth),
        Shape::Tagged(tagged) => {
            let deep = depth > 9;
            let at = if deep { 0 } else { depth % tagged.variants.len() };
            variant(tagged, at, &[], if deep { Fill::Least } else { fill }, depth + 1)
        }
        Shape::OneOf(one_of) => {
            let at = if depth > 9 { one_of.of.len() - 1 } else { depth % one_of.of.len() };
            sample(one_of.of[at](), fill, depth + 1)
        }
        Shape::Nullable(inner) => sample(inner(), fill, depth),
    }
}

/// The document with one thing wrong or merely different, in every place: whatever it is, all judges must agree on it.
pub(crate) fn mutations(value: &Value) -> Vec<Value> {
    let mut places = Vec::new();
    collect(value, String::new(), &mut places);
    let mut out = Vec::new();
    // Large documents repeat themselves: an even choice of places is enough.
    for place in places.iter().step_by(places.len() / 60 + 1) {
        let found = value.pointer(place).unwrap();
        let mut others = vec![
            Value::Null,
            json!("strange"),
            json!(""),
            json!(-1),
            json!(1.5),
            json!(true),
            json!([]),
            json!({}),
            json!([found]),
        ];
        if let Value::String(text) = found {
            others.extend([
                json!(text.to_uppercase()),
                json!(format!("{text} ")),
                json!("x.acme.other"),
                json!("x."),
            ]);
        }
        if let Value::Object(members) = found {
            for key in members.keys() {
                let mut less = members.clone();
                less.remove(key);
                others.push(Value::Object(less));
            }
            let mut more = members.clone();
            more.insert("strange".into(), json!(1));
            others.push(Value::Object(more));
        }
        out.extend(others.into_iter().map(|other| {
            let mut copy = value.clone();
            *copy.pointer_mut(place).unwrap() = other;
            copy
        }));
    }
    out
}

fn collect(value: &Value, at: String, places: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                collect(value, format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), places);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                collect(value, format!("{at}/{index}"), places);
            }
        }
        _ => {}
    }
    places.push(at);
}
