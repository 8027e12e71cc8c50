//! The build context against the App: names that nobody declared are mistakes, not new names. Spec: authoring §8.

use super::Session;
use super::finding::{AlsoAt, at_value};
use super::manifest::{Manifest, ManifestSet};
use super::package::Package;
use super::selector::Names;
use super::texts::normal_locale;
use crate::diagnostic::{codes, did_you_mean};
use crate::tree::At;

/// Checks what the context names.
pub(crate) fn check(session: &mut Session<'_, '_>, package: &Package<'_>, set: &ManifestSet<'_>) {
    let root = At::Node(package.root);
    if let Some(locale) = session.context.locale.as_deref()
        && normal_locale(locale).is_none()
    {
        let near = normal_locale(&locale.replace('_', "-"));
        let message = format!("`{locale}` in the build context is no locale");
        session.diagnostics.push(at_value(codes::BAD_CONTEXT, root, message).meant(near.as_deref()));
    }
    let Some(app) = set.app().and_then(Manifest::spec) else { return };
    let names = Names::of_app(Some(app));
    let context = &session.context;
    let wanted = [
        ("environment", "environments", context.environment.as_deref(), &names.environments),
        ("principal profile", "principalProfiles", context.principal_profile.as_deref(), &names.profiles),
    ];
    let mut found = Vec::new();
    for (what, list, value, known) in wanted {
        if let Some(value) = value.filter(|value| !known.contains(value)) {
            let at = app.get(list).unwrap_or(app);
            let near = did_you_mean(value, known.iter().copied());
            found.push(
                at_value(codes::BAD_CONTEXT, at, format!("the App declares no {what} `{value}`"))
                    .help(format!("declared: {}", known.join(", ")))
                    .meant(near),
            );
        }
    }
    session.diagnostics.extend(found);
}
