//! The publish section and the context: part of loading the package, because both decide what the rest means.

use std::collections::HashMap;

use uiap_model::authoring::{BuildContext, ReleaseChannel};

use super::Session;
use super::finding::{AlsoAt, at_value};
use super::package::Package;
use crate::diagnostic::{Diagnostics, codes};
use crate::semver::Version;
use crate::source::Node;
use crate::tree::At;

/// Completes the context from the package and checks the publish section.
pub(crate) fn check(session: &mut Session<'_, '_>, package: &Package<'_>) {
    let build = package.get("build");
    session.strict |= build.and_then(|build| build.get("strict")).and_then(Node::as_bool).unwrap_or(false);
    let defaults = build.and_then(|build| build.get("defaultContext")).map(read_context).unwrap_or_default();
    complete(&mut session.context, defaults);
    let publish = package.get("publish");
    if session.context.channel.is_none() {
        let default = publish.and_then(|publish| publish.get("defaultChannel")).and_then(Node::as_str);
        session.context.channel = default.and_then(ReleaseChannel::parse);
    }
    check_channels(publish, session.context.channel, &mut session.diagnostics);
    check_app_version(session, package);
}

fn read_context(node: Node<'_>) -> BuildContext {
    let text = |key: &str| node.get(key).and_then(Node::as_str).map(Into::into);
    BuildContext {
        environment: text("environment"),
        channel: node.get("channel").and_then(Node::as_str).and_then(ReleaseChannel::parse),
        locale: text("locale"),
        tenant_id: text("tenantId"),
        principal_profile: text("principalProfile"),
        app_version: text("appVersion"),
    }
}

fn complete(context: &mut BuildContext, defaults: BuildContext) {
    context.environment = context.environment.take().or(defaults.environment);
    context.channel = context.channel.or(defaults.channel);
    context.locale = context.locale.take().or(defaults.locale);
    context.tenant_id = context.tenant_id.take().or(defaults.tenant_id);
    context.principal_profile = context.principal_profile.take().or(defaults.principal_profile);
    context.app_version = context.app_version.take().or(defaults.app_version);
}

fn check_channels(publish: Option<Node<'_>>, channel: Option<ReleaseChannel>, diagnostics: &mut Diagnostics) {
    let Some(publish) = publish else { return };
    let mut seen: HashMap<&str, Node<'_>> = HashMap::new();
    for spec in publish.get("channels").into_iter().flat_map(Node::items) {
        let Some(name_at) = spec.get("name") else { continue };
        let name = name_at.as_str().unwrap_or_default();
        if let Some(first) = seen.insert(name, name_at) {
            diagnostics.push(
                at_value(
                    codes::DUPLICATE_CHANNEL,
                    At::Node(name_at),
                    format!("channel `{name}` is declared twice"),
                )
                .also(At::Node(first), "first declared here"),
            );
        }
        if name == "prod" {
            check_prod(spec, name_at, diagnostics);
        }
    }
    let known: Vec<&str> = seen.keys().copied().collect();
    let undeclared = |at: Node<'_>, name: &str, what: &str| {
        let mut names = known.clone();
        names.sort_unstable();
        at_value(codes::UNDECLARED_CHANNEL, At::Node(at), format!("{what} `{name}` is not declared"))
            .help(format!("declared channels: {}", names.join(", ")))
    };
    if let Some(at) = publish.get("defaultChannel")
        && let Some(name) = at.as_str().filter(|name| !seen.contains_key(name))
    {
        diagnostics.push(undeclared(at, name, "default channel"));
    } else if let Some(channel) = channel.filter(|channel| !seen.contains_key(channel.as_str())) {
        let at = publish.get("channels").unwrap_or(publish);
        diagnostics.push(undeclared(at, channel.as_str(), "channel"));
    }
}

fn check_prod(spec: Node<'_>, name: Node<'_>, diagnostics: &mut Diagnostics) {
    if spec.get("requiredReviewState").and_then(Node::as_str) != Some("approved") {
        let at = spec.get("requiredReviewState").unwrap_or(name);
        diagnostics.push(
            at_value(codes::LENIENT_PROD, At::Node(at), "channel `prod` does not require approved content")
                .help("set `requiredReviewState: approved`"),
        );
    }
    if spec.get("forbidGeneratedOnly").and_then(Node::as_bool) != Some(true) {
        let at = spec.get("forbidGeneratedOnly").unwrap_or(name);
        diagnostics.push(
            at_value(
                codes::LENIENT_PROD,
                At::Node(at),
                "channel `prod` accepts content that nobody wrote or approved",
            )
            .help("set `forbidGeneratedOnly: true`"),
        );
    }
}

fn check_app_version(session: &mut Session<'_, '_>, package: &Package<'_>) {
    let Some(version) = session.context.app_version.clone() else { return };
    let root = At::Node(package.root);
    if Version::parse_lenient(&version).is_none() {
        session.diagnostics.push(at_value(
            codes::BAD_CONTEXT,
            root,
            format!("app version `{version}` is no version"),
        ));
    }
    let Some(list) = package.get("compatibility").and_then(|spec| spec.get("appVersions")) else { return };
    let fits =
        list.items().filter_map(Node::as_str).any(|entry| super::selector::version_fits(entry, &version));
    if !fits {
        session.diagnostics.push(at_value(
            codes::INCOMPATIBLE,
            At::Node(list),
            format!("the package does not support app version `{version}`"),
        ));
    }
}
