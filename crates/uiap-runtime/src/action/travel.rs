//! Going elsewhere: by a link, an address, the history or the name of a route.

use uiap_model::action::request::RequestTarget;
use uiap_model::action::result::RuntimeErrorCode;
use uiap_model::web::ElementNode;

use super::ending::Stop;
use super::hands::Hands;
use super::perform::{self, Args, Performed};
use crate::surface::{Command, Surface};
use crate::verify::Check;

/// To another place: by a link, an address, or the name of a route.
pub(super) async fn navigate<S: Surface>(
    hands: &mut Hands<'_, S>,
    element: Option<&ElementNode>,
    args: Args<'_>,
) -> Result<Performed, Stop> {
    if let Some(steps) = args.number("history") {
        if steps == 0.0 || steps.fract() != 0.0 || steps.abs() > 50.0 {
            return Err(perform::invalid("`history` must be a whole number and not 0, such as -1 for back"));
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most 50")]
        hands.send(&Command::Travel(steps as i32)).await?;
        return Ok(Performed::of(Check::Elsewhere));
    }
    if let Some(element) = element {
        hands.send(&Command::Click(crate::surface::Press::on(element.instance_id.clone()))).await?;
        return Ok(Performed::of(Check::Elsewhere));
    }
    let url = address(hands, args)?;
    (hands.core.options.may_visit)(&url).map_err(|why| {
        Stop::before(RuntimeErrorCode::PolicyDenied, format!("`{url}` may not be visited: {why}"))
    })?;
    hands.send(&Command::Navigate(url)).await?;
    Ok(Performed::of(Check::Elsewhere))
}

/// The address that is meant.
fn address<S: Surface>(hands: &Hands<'_, S>, args: Args<'_>) -> Result<String, Stop> {
    let target = hands.live.request.target.as_ref().and_then(|target| target.r#ref.clone());
    let route = match target {
        Some(RequestTarget::Route { value }) => Some(value.as_str().to_owned()),
        _ => None,
    };
    let text = args.text("url").or_else(|| args.text("path")).map(str::to_owned).or(route);
    let Some(text) = text else {
        return Err(perform::invalid("one of `url`, `path` and `history`, a link or a route must be there"));
    };
    let known =
        hands.core.options.routes.iter().find(|(id, _)| *id == text).map(|(_, pattern)| pattern.clone());
    let text = known.unwrap_or(text);
    if text.contains(':') && !text.starts_with('/') {
        return Ok(text);
    }
    if !text.starts_with('/') {
        return Err(Stop::before(RuntimeErrorCode::TargetNotFound, format!("there is no route `{text}`")));
    }
    if text.split('/').any(|segment| segment.starts_with(':')) {
        return Err(perform::invalid(format!("`{text}` has parameters; give the path in full")));
    }
    let graph = hands.graph();
    let here = graph.route.url.as_str();
    let origin_end = here.find("://").and_then(|at| here.get(at + 3..)?.find('/').map(|end| at + 3 + end));
    Ok(format!("{}{text}", here.get(..origin_end.unwrap_or(here.len())).unwrap_or(here)))
}
