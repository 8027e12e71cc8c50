//! Links in documents: Markdown, HTML, sitemaps.

use std::collections::HashSet;

/// Where a text links to, in its order, each once. `[text](link)`, `href="link"`, `<loc>link</loc>` and bare addresses count.
pub fn links(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut known = HashSet::new();
    let mut add = |link: &str| {
        let link = link.trim().replace("&amp;", "&");
        if !link.is_empty() && known.insert(link.clone()) {
            found.push(link);
        }
    };
    let mut rest = text;
    while let Some((at, opener, end)) = next(rest) {
        let after = rest.get(at + opener.len()..).unwrap_or_default();
        let stop = after.find(|letter: char| end.contains(letter)).unwrap_or(after.len());
        let link = after.get(..stop).unwrap_or_default();
        match opener {
            "](" => add(link.split_whitespace().next().unwrap_or_default()),
            "http://" | "https://" => add(format!("{opener}{link}").trim_end_matches(['.', ',', ';'])),
            _ => add(link),
        }
        rest = after.get(stop..).unwrap_or_default();
    }
    found
}

/// The next opener with what ends its link.
fn next(text: &str) -> Option<(usize, &'static str, &'static str)> {
    const OPENERS: [(&str, &str); 6] = [
        ("](", ")"),
        ("href=\"", "\""),
        ("href='", "'"),
        ("<loc>", "<"),
        ("http://", " \t\r\n<>\"')]`"),
        ("https://", " \t\r\n<>\"')]`"),
    ];
    // Once over the text, whatever of them it holds.
    text.match_indices([']', 'h', '<']).find_map(|(at, _)| {
        let rest = text.get(at..)?;
        let opener = OPENERS.iter().find(|(opener, _)| rest.starts_with(opener));
        opener.map(|(opener, end)| (at, *opener, *end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_markdown_html_and_sitemaps_are_found_in_order() {
        let text = "See [videos](/videos \"Title\") and <a class=x href='/team?a=1&amp;b=2'>team</a>.\n\
                    <url><loc>http://app.test/billing</loc></url> or http://app.test/videos/new, and [again](/videos).";
        assert_eq!(
            links(text),
            ["/videos", "/team?a=1&b=2", "http://app.test/billing", "http://app.test/videos/new"]
        );
        assert!(links("nothing here").is_empty());
    }
}
