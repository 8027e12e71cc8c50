//! Whether a body is GraphQL and changes something.

use serde_json::Value;

use super::question::asks;

/// Whether what is carried changes something; none when it is something else.
pub(super) fn writes(body: &str) -> Option<bool> {
    let value: Value = serde_json::from_str(body).ok()?;
    match &value {
        Value::Array(all) => {
            let each: Option<Vec<bool>> = all.iter().map(operation).collect();
            each.filter(|each| !each.is_empty()).map(|each| each.contains(&true))
        }
        other => operation(other),
    }
}

fn operation(value: &Value) -> Option<bool> {
    let name = value.get("operationName").and_then(Value::as_str).filter(|name| !name.is_empty());
    if let Some(query) = value.get("query").and_then(Value::as_str).filter(|query| is_document(query)) {
        return Some(changes(query, name));
    }
    // Of a query that the server knows by its digest there is only the name.
    let persisted = value.get("extensions").is_some_and(|all| all.get("persistedQuery").is_some())
        || ["documentId", "doc_id", "queryId"].iter().any(|key| value.get(key).is_some());
    if !persisted {
        return None;
    }
    let name = name.unwrap_or_default();
    Some(!(asks(name) || name.ends_with("Page")))
}

/// Whether a text is a document of GraphQL and not what somebody looks for.
fn is_document(query: &str) -> bool {
    let first = tokens(query).into_iter().next();
    first
        .is_some_and(|first| ["{", "query", "mutation", "subscription", "fragment"].contains(&first.as_str()))
}

/// Whether a document holds a mutation that may run.
fn changes(query: &str, name: Option<&str>) -> bool {
    let tokens = tokens(query);
    let mut depth = 0_i32;
    for (at, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            "mutation" if depth <= 0 => {
                let called = tokens.get(at + 1).map(String::as_str);
                if name.is_none() || called == name {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// Words and braces, without remarks and texts.
fn tokens(query: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut letters = query.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter.is_alphanumeric() || letter == '_' {
            word.push(letter);
            continue;
        }
        if !word.is_empty() {
            tokens.push(std::mem::take(&mut word));
        }
        match letter {
            '{' | '}' => tokens.push(letter.to_string()),
            '#' => while letters.next_if(|next| *next != '\n').is_some() {},
            '"' => {
                while let Some(inner) = letters.next_if(|next| *next != '"') {
                    if inner == '\\' {
                        letters.next();
                    }
                }
                letters.next();
            }
            _ => {}
        }
    }
    tokens.extend(Some(word).filter(|word| !word.is_empty()));
    tokens
}

#[cfg(test)]
mod tests {
    #[test]
    fn mutations_are_found_however_they_are_written() {
        for (body, writes) in [
            (r#"{"query":"query A { videos { id } }"}"#, Some(false)),
            (r#"{"query":"{ videos { mutation } }"}"#, Some(false)),
            (r#"{"query":"{ videos(like: \"} mutation B {\") { id } }"}"#, Some(false)),
            (r#"{"query":"mutation B { drop }"}"#, Some(true)),
            (r#"{"query":"fragment F on X{id}mutation M{drop{...F}}"}"#, Some(true)),
            (r#"{"query":"mutation B { drop }","operationName":""}"#, Some(true)),
            (r#"{"query":"query A{a} mutation B{b}","operationName":"A"}"#, Some(false)),
            (r#"{"query":"query A{a} mutation B{b}","operationName":"B"}"#, Some(true)),
            (r#"[{"query":"{a}"},{"query":"mutation{b}"}]"#, Some(true)),
            (r#"{"operationName":"GetX","extensions":{"persistedQuery":{}}}"#, Some(false)),
            (r#"{"operationName":"VideosPage","documentId":"1"}"#, Some(false)),
            (r#"{"operationName":"VideosQuery","doc_id":"1"}"#, Some(false)),
            (r#"{"operationName":"ListingPublish","extensions":{"persistedQuery":{}}}"#, Some(true)),
            (r#"{"operationName":"SearchSave","extensions":{"persistedQuery":{}}}"#, Some(true)),
            (r#"{"query":"cats"}"#, None),
            ("not json", None),
        ] {
            assert_eq!(super::writes(body), writes, "{body}");
        }
    }
}
