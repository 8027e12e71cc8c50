//! Choosing an option: in native controls by their own means, in custom ones by opening them, narrowing the list and taking the
//! option that appears.

use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;
use uiap_model::action::result::RuntimeErrorCode;
use uiap_model::capability::{Checked, UIRole, UIState};
use uiap_model::names::ElementInstanceId;
use uiap_model::web::element::ElementOption;
use uiap_model::web::{ElementNode, PageGraph};

use super::ending::Stop;
use super::hands::Hands;
use super::perform::{Args, On, Performed, invalid, typed, unsuitable};
use crate::surface::{Command, Press, Surface};
use crate::verify::Check;

/// How long options may take to appear after a list was opened.
const OPTIONS: Duration = Duration::from_secs(3);

/// What shall be chosen.
#[derive(Debug)]
struct Wish {
    words: Vec<String>,
    index: Option<usize>,
}

impl Wish {
    fn read(args: Args<'_>) -> Result<Self, Stop> {
        let mut words: Vec<String> = args.list("values").into_iter().map(str::to_owned).collect();
        words.extend(args.text("value").or_else(|| args.text("label")).map(str::to_owned));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is whole and not negative"
        )]
        let index = match args.get("index").and_then(Value::as_f64) {
            Some(index) if index < 0.0 || index.fract() != 0.0 => {
                return Err(invalid("`index` must be a whole number from 0"));
            }
            index => index.map(|index| index as usize),
        };
        if words.is_empty() && index.is_none() {
            return Err(invalid("one of `value`, `label`, `values` and `index` must be there"));
        }
        Ok(Self { words, index })
    }
}

/// Chooses.
pub(super) async fn choose<S: Surface>(
    hands: &mut Hands<'_, S>,
    on: On<'_>,
    args: Args<'_>,
) -> Result<Performed, Stop> {
    let wish = Wish::read(args)?;
    match on.element.role {
        UIRole::Radio
        | UIRole::Option
        | UIRole::Tab
        | UIRole::Menuitem
        | UIRole::Treeitem
        | UIRole::Checkbox => take(hands, on).await,
        _ if on.element.options.is_some() => native(hands, on, &wish).await,
        _ => custom(hands, on, &wish).await,
    }
}

/// The target is the option.
async fn take<S: Surface>(hands: &mut Hands<'_, S>, on: On<'_>) -> Result<Performed, Stop> {
    let goal = if on.element.state.checked.is_some() {
        UIState { checked: Some(Checked::On), ..UIState::default() }
    } else {
        UIState { selected: Some(true), ..UIState::default() }
    };
    if !on.element.state.satisfies(&goal) {
        hands.send(&Command::Click(Press::on(on.id()))).await?;
    }
    let known = on.element.state.checked.is_some() || on.element.state.selected.is_some();
    Ok(Performed::of(if known { Check::State(Box::new(goal)) } else { Check::Change }))
}

async fn native<S: Surface>(hands: &mut Hands<'_, S>, on: On<'_>, wish: &Wish) -> Result<Performed, Stop> {
    let options = on.element.options.as_deref().unwrap_or_default();
    let mut values = Vec::new();
    for word in &wish.words {
        values.push(option(options, word)?.value.to_string());
    }
    if let Some(index) = wish.index {
        let found = options.get(index).ok_or_else(|| no_such(&format!("number {index}"), options))?;
        values.push(found.value.to_string());
    }
    hands.send(&Command::Select { target: on.id(), values: values.clone() }).await?;
    Ok(Performed::of(Check::Chosen(values)))
}

/// The option of that value or label.
fn option<'a>(options: &'a [ElementOption], word: &str) -> Result<&'a ElementOption, Stop> {
    let by_value = options.iter().find(|option| option.value == word);
    let same = |label: &str| label.trim().eq_ignore_ascii_case(word.trim());
    let found = by_value
        .or_else(|| options.iter().find(|option| option.label.trim() == word.trim()))
        .or_else(|| options.iter().find(|option| same(&option.label)))
        .ok_or_else(|| no_such(&format!("`{word}`"), options))?;
    if found.disabled == Some(true) {
        return Err(unsuitable(format!("the option `{word}` is disabled")));
    }
    Ok(found)
}

fn no_such(what: &str, options: &[ElementOption]) -> Stop {
    let labels: Vec<&str> = options.iter().map(|option| option.label.as_str()).take(20).collect();
    Stop::before(RuntimeErrorCode::TargetNotFound, format!("there is no option {what}"))
        .with(&serde_json::json!({ "options": labels }))
}

async fn custom<S: Surface>(hands: &mut Hands<'_, S>, on: On<'_>, wish: &Wish) -> Result<Performed, Stop> {
    let mut chosen = Vec::new();
    let words: Vec<Option<&str>> = if wish.words.is_empty() {
        vec![None]
    } else {
        wish.words.iter().map(|word| Some(word.as_str())).collect()
    };
    for word in words {
        chosen.push(pick(hands, on, word, wish.index).await?);
    }
    Ok(Performed::of(Check::Chosen(chosen)))
}

/// Opens the list if it is not open, and takes the option.
async fn pick<S: Surface>(
    hands: &mut Hands<'_, S>,
    on: On<'_>,
    word: Option<&str>,
    index: Option<usize>,
) -> Result<String, Stop> {
    let graph = hands.graph();
    let found = if let Some(found) = find(&graph, on.element, word, index) {
        found
    } else {
        let editable = on.element.role == UIRole::Combobox
            && on.element.state.editable != Some(false)
            && on.element.state.readonly != Some(true);
        if on.element.role != UIRole::Listbox {
            hands.send(&Command::Click(Press::on(on.id()))).await?;
        }
        match appear(hands, on.element, word, index, Duration::from_millis(400)).await? {
            Some(found) => found,
            None if editable && word.is_some() => {
                let text = word.unwrap_or_default().to_owned();
                // A list that opens from a button takes no text; then it opens all the same.
                if let Err(stop) = hands.send(&typed(on.id(), text, true, true)).await
                    && stop.code != RuntimeErrorCode::TargetNotInteractable
                {
                    return Err(stop);
                }
                appear(hands, on.element, word, index, OPTIONS).await?.ok_or_else(|| nothing(hands, word))?
            }
            None => {
                appear(hands, on.element, word, index, OPTIONS).await?.ok_or_else(|| nothing(hands, word))?
            }
        }
    };
    let (id, name) = found;
    hands.send(&Command::Click(Press::on(id))).await?;
    Ok(name)
}

fn nothing<S: Surface>(hands: &Hands<'_, S>, word: Option<&str>) -> Stop {
    let graph = hands.graph();
    let offered: Vec<&str> = options(&graph).filter_map(|element| element.name.as_deref()).take(20).collect();
    let what = word.map_or_else(|| "option of that number".to_owned(), |word| format!("option `{word}`"));
    Stop::before(RuntimeErrorCode::TargetNotFound, format!("there is no {what}"))
        .with(&serde_json::json!({ "options": offered }))
}

/// Waits until the option is there.
async fn appear<S: Surface>(
    hands: &mut Hands<'_, S>,
    control: &ElementNode,
    word: Option<&str>,
    index: Option<usize>,
    limit: Duration,
) -> Result<Option<(ElementInstanceId, String)>, Stop> {
    let end = Instant::now() + limit;
    loop {
        let graph = hands.look().await?;
        if let Some(found) = find(&graph, control, word, index) {
            return Ok(Some(found));
        }
        if !hands.changed_before(end).await? {
            return Ok(None);
        }
    }
}

fn options(graph: &PageGraph) -> impl Iterator<Item = &ElementNode> {
    graph.elements().map(|(.., element)| element).filter(|element| {
        matches!(element.role, UIRole::Option | UIRole::Menuitem | UIRole::Treeitem | UIRole::Radio)
            && element.state.visible != Some(false)
            && element.state.enabled != Some(false)
    })
}

/// The option, if it is shown: the one of that name, in the control itself before anywhere else.
fn find(
    graph: &PageGraph,
    control: &ElementNode,
    word: Option<&str>,
    index: Option<usize>,
) -> Option<(ElementInstanceId, String)> {
    let told = |element: &ElementNode| {
        (element.instance_id.clone(), element.name.as_deref().unwrap_or_default().to_owned())
    };
    let Some(word) = word else {
        return options(graph).nth(index?).map(told);
    };
    let name =
        |element: &&ElementNode| element.name.as_deref().is_some_and(|name| name.trim() == word.trim());
    let inside = |element: &&ElementNode| element.parent_instance_id.as_ref() == Some(&control.instance_id);
    let own = options(graph).filter(inside).find(name);
    let found = own.or_else(|| {
        let mut hits = options(graph).filter(name);
        let first = hits.next()?;
        hits.next().is_none().then_some(first)
    });
    found.map(told)
}
