//! Ids made of names: for elements, routes, actions and inputs.

use uiap_model::capability::lint::looks_generated;

/// Letters and digits in small letters, joined by dashes.
pub(crate) fn slug(text: &str) -> String {
    let short: String = words(text).join("-").chars().take(48).collect();
    short.trim_end_matches('-').to_owned()
}

/// `Invite a member` → `inviteAMember`; at most five words.
pub(crate) fn camel(text: &str) -> String {
    let mut out = String::new();
    for word in words(text).iter().take(5) {
        if out.is_empty() {
            out.push_str(word);
        } else {
            let mut letters = word.chars();
            out.extend(letters.next().into_iter().flat_map(char::to_uppercase));
            out.push_str(letters.as_str());
        }
    }
    out
}

fn words(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// The id of a scope without the number that tells generated ones apart: that number depends on what was shown before.
pub(crate) fn scope_id(id: &str) -> &str {
    let Some(rest) = id.strip_prefix('~') else { return id };
    match rest.rsplit_once('~') {
        Some((base, number)) if !base.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            id.get(..=base.len()).unwrap_or(id)
        }
        _ => id,
    }
}

/// Whether an id was given by the app and can be relied on.
pub(crate) fn is_lasting(id: &str) -> bool {
    !id.starts_with('~') && !looks_generated(id)
}

/// An id for a route out of its pattern: `/videos/:id/edit` → `videos.detail.edit`.
pub(crate) fn route_id(pattern: &str) -> String {
    let parts: Vec<String> = pattern
        .split(['/', '?', '#'])
        .filter(|part| !part.is_empty())
        .map(|part| if part.starts_with(':') { "detail".to_owned() } else { slug(part) })
        .filter(|part| !part.is_empty())
        .collect();
    if parts.is_empty() { "home".to_owned() } else { parts.join(".") }
}

/// Gives an id that nobody has yet a place, with a number where it must.
pub(crate) fn unique(base: &str, taken: &mut std::collections::BTreeSet<String>) -> String {
    let mut id = base.to_owned();
    let mut number = 1;
    while !taken.insert(id.clone()) {
        number += 1;
        id = format!("{base}-{number}");
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_scopes_lose_their_number_and_no_more() {
        assert_eq!(scope_id("~region~3"), "~region");
        assert_eq!(scope_id("~dialog:invite-member"), "~dialog:invite-member");
        assert_eq!(scope_id("~list:a~2"), "~list:a");
        assert_eq!(scope_id("video.form~2"), "video.form~2");
    }

    #[test]
    fn ids_are_made_of_names() {
        assert_eq!(camel("Invite a member"), "inviteAMember");
        assert_eq!(slug("Größe & Maße"), "größe-maße");
        assert_eq!(route_id("/videos/:id/edit"), "videos.detail.edit");
        assert_eq!(route_id("/"), "home");
    }
}
