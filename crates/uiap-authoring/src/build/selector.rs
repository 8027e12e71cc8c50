//! When something applies: selectors against the build context. Spec: authoring §5.8; decision D9.

use uiap_model::authoring::BuildContext;

use super::finding::{AlsoAt, at_value};
use crate::diagnostic::{Diagnostics, codes, did_you_mean};
use crate::semver::{Range, Version};
use crate::tree::At;

/// Whether a selector fits a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    Yes,
    No,
    /// The context says nothing about this dimension.
    Undecided(&'static str),
}

/// Fields are joined by AND, the values of a field by OR; an absent field fits everything.
pub(crate) fn fit(selector: At<'_>, context: &BuildContext) -> Fit {
    let channel = context.channel.map(|channel| channel.as_str());
    let dimensions = [
        ("environments", context.environment.as_deref(), "an environment"),
        ("channels", channel, "a channel"),
        ("locales", context.locale.as_deref(), "a locale"),
        ("tenantIds", context.tenant_id.as_deref(), "a tenant"),
        ("principalProfiles", context.principal_profile.as_deref(), "a principal profile"),
        ("appVersionRanges", context.app_version.as_deref(), "an app version"),
    ];
    let mut result = Fit::Yes;
    for (field, value, name) in dimensions {
        let Some(list) = selector.get(field) else { continue };
        match value {
            _ if list.len() == 0 => return Fit::No,
            Some(value) if !list.items().filter_map(At::as_str).any(|entry| covers(field, entry, value)) => {
                return Fit::No;
            }
            Some(_) => {}
            None => result = Fit::Undecided(name),
        }
    }
    result
}

fn covers(field: &str, entry: &str, value: &str) -> bool {
    match field {
        "locales" => {
            let (entry, value) = (entry.to_ascii_lowercase(), value.to_ascii_lowercase());
            value == entry || value.strip_prefix(&entry).is_some_and(|rest| rest.starts_with('-'))
        }
        "appVersionRanges" => version_fits(entry, value),
        _ => entry == value,
    }
}

/// A fixed string fits itself; anything else is a range.
pub(crate) fn version_fits(entry: &str, version: &str) -> bool {
    let in_range = || Some(Range::parse(entry).ok()?.contains(&Version::parse_lenient(version)?));
    entry == version || in_range() == Some(true)
}

/// Names that selectors may use.
#[derive(Default)]
pub(crate) struct Names<'a> {
    pub(crate) environments: Vec<&'a str>,
    pub(crate) profiles: Vec<&'a str>,
}

impl<'a> Names<'a> {
    /// The names that an App declares.
    pub(crate) fn of_app(app: Option<At<'a>>) -> Self {
        let ids = |list: &str| -> Vec<&'a str> {
            app.into_iter().flat_map(|app| app.list(list)).filter_map(|each| each.text("id")).collect()
        };
        Self { environments: ids("environments"), profiles: ids("principalProfiles") }
    }
}

/// Mistakes that the form cannot show: lists that never match, names that nobody declared, unreadable ranges.
pub(crate) fn check(selector: At<'_>, names: &Names<'_>, diagnostics: &mut Diagnostics) {
    for (field, list) in selector.entries() {
        if list.len() == 0 {
            diagnostics.push(
                at_value(
                    codes::SELECTOR_NEVER_FITS,
                    list,
                    format!("`{field}` is empty, so the selector never fits"),
                )
                .help(format!("list at least one value, or remove `{field}`")),
            );
        }
    }
    let declared = [("environments", &names.environments), ("principalProfiles", &names.profiles)];
    for (field, known) in declared {
        for entry in selector.list(field) {
            let Some(name) = entry.as_str().filter(|name| !known.contains(name)) else { continue };
            diagnostics.push(
                at_value(
                    codes::SELECTOR_UNKNOWN_NAME,
                    entry,
                    format!("the App declares no `{name}` in `{field}`"),
                )
                .meant(did_you_mean(name, known.iter().copied())),
            );
        }
    }
    for entry in selector.list("appVersionRanges") {
        check_range(entry, diagnostics);
    }
}

/// Reports a range that cannot be read; a fixed string such as `2026.03` is fine.
pub(crate) fn check_range(entry: At<'_>, diagnostics: &mut Diagnostics) {
    let Some(text) = entry.as_str() else { return };
    if let Err(error) = Range::parse(text)
        && Version::parse_lenient(text).is_none()
    {
        diagnostics.push(
            at_value(codes::BAD_RANGE, entry, format!("`{text}` is no version range: {error}"))
                .help("write a range such as `>=0.1 <0.2`, `^1.2.0` or `1.x`"),
        );
    }
}
