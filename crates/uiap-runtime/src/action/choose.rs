//! Choosing an option: in native controls by their own means, in custom ones by opening them, narrowing the list and taking the
//! option that appears.

use std::collections::{HashMap, HashSet};
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
/// How deep an option may lie in its control.
const DEPTH: usize = 32;

/// What shall be chosen.
#[derive(Debug)]
struct Wish {
    words: Vec<String>,
    index: Option<usize>,
}

impl Wish {
    fn read(args: Args<'_>) -> Result<Self, Stop> {
        let mut words: Vec<String> = args.list("values")?.into_iter().map(str::to_owned).collect();
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
        | UIRole::Checkbox => take(hands, on, &wish).await,
        _ if on.element.options.is_some() => native(hands, on, &wish).await,
        _ => custom(hands, on, &wish).await,
    }
}

/// The target is the option. Whoever names another one means its group.
async fn take<S: Surface>(hands: &mut Hands<'_, S>, on: On<'_>, wish: &Wish) -> Result<Performed, Stop> {
    let name = on.element.name.as_deref().unwrap_or_default();
    let value = on.element.state.text_value.as_deref();
    let other = wish.words.iter().find(|word| !is_called(name, word) && value != Some(word.as_str()));
    if let Some(other) = other {
        return Err(invalid(format!(
            "the target is itself the option “{name}”, and `{other}` is another one: take that one as the target, or their group"
        )));
    }
    if wish.index.is_some() {
        return Err(invalid(format!(
            "the target is itself the option “{name}”: `index` counts those of a group"
        )));
    }
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
    let found = by_value
        .or_else(|| options.iter().find(|option| option.label.trim() == word.trim()))
        .or_else(|| options.iter().find(|option| is_called(&option.label, word)))
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
    let before = options(&graph).map(|option| option.instance_id.clone()).collect();
    let sought = Sought { control: on.element, before, word, index };
    let found = match sought.find(&graph) {
        Some(found) => found,
        None => open(hands, on, &sought).await?,
    };
    let (id, name) = found;
    hands.send(&Command::Click(Press::on(id))).await?;
    Ok(name)
}

/// Opens the list and, where the control takes text, narrows it.
async fn open<S: Surface>(
    hands: &mut Hands<'_, S>,
    on: On<'_>,
    sought: &Sought<'_>,
) -> Result<(ElementInstanceId, String), Stop> {
    let editable = on.element.role == UIRole::Combobox
        && on.element.state.editable != Some(false)
        && on.element.state.readonly != Some(true);
    // A list that is shown has nothing to open; one that is open would close.
    if on.element.role != UIRole::Listbox && on.element.state.expanded != Some(true) {
        hands.send(&Command::Click(Press::on(on.id()))).await?;
    }
    if let Some(found) = sought.appear(hands, Duration::from_millis(400)).await? {
        return Ok(found);
    }
    if let Some(word) = sought.word.filter(|_| editable) {
        // A list that opens from a button takes no text; then it opens all the same.
        if let Err(stop) = hands.send(&typed(on.id(), word.to_owned(), true, true)).await
            && stop.code != RuntimeErrorCode::TargetNotInteractable
        {
            return Err(stop);
        }
    }
    sought.appear(hands, OPTIONS).await?.ok_or_else(|| sought.nothing(&hands.graph()))
}

/// An option of a control.
struct Sought<'a> {
    control: &'a ElementNode,
    /// Options that were shown before anything was done.
    before: HashSet<ElementInstanceId>,
    word: Option<&'a str>,
    index: Option<usize>,
}

impl Sought<'_> {
    /// Waits until the option is there.
    async fn appear<S: Surface>(
        &self,
        hands: &mut Hands<'_, S>,
        limit: Duration,
    ) -> Result<Option<(ElementInstanceId, String)>, Stop> {
        let end = Instant::now() + limit;
        loop {
            let graph = hands.look().await?;
            if let Some(found) = self.find(&graph) {
                return Ok(Some(found));
            }
            if !hands.changed_before(end).await? {
                return Ok(None);
            }
        }
    }

    /// The option, if it is shown and belongs to the control.
    fn find(&self, graph: &PageGraph) -> Option<(ElementInstanceId, String)> {
        let own = self.own(graph);
        let found = match self.word {
            None => own.get(self.index?).copied(),
            // A list that was open before came up at no use of ours.
            Some(word) if self.control.state.expanded == Some(true) => {
                called(&own, word).or_else(|| sole(graph, word))
            }
            Some(word) => called(&own, word),
        };
        let name = |option: &ElementNode| option.name.as_deref().unwrap_or_default().to_owned();
        found.map(|option| (option.instance_id.clone(), name(option)))
    }

    /// Options that lie in the control, or else those that came up when it was used. An app has other lists too.
    fn own<'g>(&self, graph: &'g PageGraph) -> Vec<&'g ElementNode> {
        let parents: HashMap<_, _> = graph
            .elements()
            .filter_map(|(.., element)| Some((&element.instance_id, element.parent_instance_id.as_ref()?)))
            .collect();
        let lies_inside = |option: &&ElementNode| {
            let mut at = parents.get(&option.instance_id);
            for _ in 0..DEPTH {
                match at {
                    Some(id) if **id == self.control.instance_id => return true,
                    Some(id) => at = parents.get(*id),
                    None => return false,
                }
            }
            false
        };
        let inside: Vec<_> = options(graph).filter(lies_inside).collect();
        if !inside.is_empty() {
            return inside;
        }
        options(graph).filter(|option| !self.before.contains(&option.instance_id)).collect()
    }

    fn nothing(&self, graph: &PageGraph) -> Stop {
        let own = self.own(graph);
        let offered: Vec<&str> = own.iter().filter_map(|option| option.name.as_deref()).take(20).collect();
        let what =
            self.word.map_or_else(|| "option of that number".to_owned(), |word| format!("option `{word}`"));
        Stop::before(RuntimeErrorCode::TargetNotFound, format!("there is no {what}"))
            .with(&serde_json::json!({ "options": offered }))
    }
}

fn options(graph: &PageGraph) -> impl Iterator<Item = &ElementNode> {
    graph.elements().map(|(.., element)| element).filter(|element| {
        matches!(element.role, UIRole::Option | UIRole::Menuitem | UIRole::Treeitem | UIRole::Radio)
            && element.state.visible != Some(false)
            && element.state.enabled != Some(false)
    })
}

/// The one of that name, letter by letter before any other way to write it.
fn called<'g>(among: &[&'g ElementNode], word: &str) -> Option<&'g ElementNode> {
    let name = |option: &ElementNode| option.name.as_deref().unwrap_or_default().trim().to_owned();
    let exactly = among.iter().find(|option| name(option) == word.trim());
    exactly.or_else(|| among.iter().find(|option| is_called(&name(option), word))).copied()
}

/// The only option of that name in the whole app.
fn sole<'g>(graph: &'g PageGraph, word: &str) -> Option<&'g ElementNode> {
    let mut hits =
        options(graph).filter(|option| option.name.as_deref().is_some_and(|name| name.trim() == word.trim()));
    let first = hits.next()?;
    hits.next().is_none().then_some(first)
}

fn is_called(name: &str, word: &str) -> bool {
    name.trim().to_lowercase() == word.trim().to_lowercase()
}
