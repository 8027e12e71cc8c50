//! Text to typed value: fast when it is right, thorough when it is wrong.

use serde_json::Value;
use serde_json::error::Category;

use crate::json::JsonValue;
use crate::problem::{Code, Position, Problem};
use crate::shape::{Strictness, Wire, inspect};

/// Text that is no JSON.
pub const INVALID_JSON: Code = Code("UIAP-M010");
/// JSON that the protocol does not take: duplicate members, numbers beyond 2^53, nesting too deep.
pub const UNSAFE_JSON: Code = Code("UIAP-M011");
/// A document that decodes in one way and not in another; a fault of this crate.
pub const UNDECODABLE: Code = Code("UIAP-M012");

/// Objects and lists may be nested less deeply than this.
pub const DEPTH_LIMIT: usize = 128;

/// Reads a `T`, or tells everything that is wrong with it.
pub fn parse<T: Wire>(bytes: &[u8]) -> Result<T, Vec<Problem>> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(vec![parse_value(bytes).err().unwrap_or_else(no_text)]);
    };
    serde_json::from_str::<T>(text).map_err(|error| explain::<T>(bytes, &error))
}

/// Reads any JSON value under the protocol's rules.
pub fn parse_value(bytes: &[u8]) -> Result<Value, Problem> {
    serde_json::from_slice::<JsonValue>(bytes).map(|value| value.0).map_err(|error| syntax(bytes, &error))
}

/// Decodes a value that was read before.
pub fn decode<T: Wire>(value: &Value, strictness: Strictness) -> Result<T, Vec<Problem>> {
    let problems = inspect(value, T::shape(), strictness);
    if !problems.is_empty() {
        return Err(problems);
    }
    T::deserialize(value).map_err(|error| vec![undecodable(&error)])
}

/// The slow path: the same document again, for every fault at its place.
fn explain<T: Wire>(bytes: &[u8], error: &serde_json::Error) -> Vec<Problem> {
    match parse_value(bytes) {
        Err(problem) => vec![problem],
        Ok(value) => {
            let problems = inspect(&value, T::shape(), Strictness::Wire);
            if problems.is_empty() { vec![undecodable(error)] } else { problems }
        }
    }
}

fn undecodable(error: &serde_json::Error) -> Problem {
    Problem::error(UNDECODABLE, "", format!("cannot be decoded: {error}"))
        .help("this is a fault of uiap; please report it with the document")
}

fn no_text() -> Problem {
    Problem::error(INVALID_JSON, "", "the text is not valid UTF-8").help("save the file as UTF-8")
}

fn syntax(bytes: &[u8], error: &serde_json::Error) -> Problem {
    let position = Position { line: error.line(), column: error.column() };
    let plain = error.to_string();
    let message = plain.rsplit_once(" at line ").map_or(plain.as_str(), |(message, _)| message);
    let too_deep = message.contains("recursion limit");
    let (code, message, help) = match error.classify() {
        _ if too_deep => (
            UNSAFE_JSON,
            format!("nested {DEPTH_LIMIT} levels deep or deeper"),
            Some("no UIAP document needs that much"),
        ),
        Category::Data => (UNSAFE_JSON, message.to_owned(), None),
        Category::Eof => (INVALID_JSON, "the text ends in the middle of a value".to_owned(), None),
        Category::Syntax if std::str::from_utf8(bytes).is_err() => {
            return Problem { position: Some(position), ..no_text() };
        }
        _ => (INVALID_JSON, message.to_owned(), None),
    };
    let problem = Problem { position: Some(position), ..Problem::error(code, "", message) };
    match help {
        Some(help) => problem.help(help),
        None => problem,
    }
}
