//! What a control does, told by what it is, where it stands and what it is called.

use uiap_model::capability::{HasPopup, UIAffordance, UIRole};
use uiap_model::policy::SideEffectClass;
use uiap_model::web::{ElementNode, ScopeKind, ScopeNode};

use super::{Area, Sign, Subject, around, class_of, told};
use crate::record::fact;
use crate::safety::address;
use crate::safety::lexicon::{self, Consequence};
use crate::template;

pub(super) fn sign(subject: &Subject<'_>, element: &ElementNode) -> Sign {
    match element.role {
        UIRole::Fileinput => Sign::new(SideEffectClass::ExternalEffect, "a file would be brought in"),
        _ if matches!(subject.action_id, "ui.enterText" | "ui.clearText" | "ui.setValue") => {
            writing(subject, element)
        }
        UIRole::Checkbox | UIRole::Switch | UIRole::Radio => toggling(subject, element),
        UIRole::Option => choosing(subject, element),
        UIRole::Combobox | UIRole::Listbox | UIRole::Slider if subject.action_id == "ui.choose" => {
            choosing(subject, element)
        }
        UIRole::Combobox | UIRole::Listbox => Sign::new(SideEffectClass::UiOnly, "it only opens its list"),
        UIRole::Textbox
        | UIRole::Textarea
        | UIRole::Searchbox
        | UIRole::Spinbutton
        | UIRole::Slider
        | UIRole::Datepicker
        | UIRole::Timepicker => writing(subject, element),
        UIRole::Tab => tab(element),
        UIRole::Link => link(subject, element),
        _ => pressing(subject, element),
    }
}

fn tab(element: &ElementNode) -> Sign {
    let name = words_of(element);
    match lexicon::consequence(&name) {
        Some(Consequence::SignOut) => said(Consequence::SignOut, &name),
        _ => Sign::new(SideEffectClass::UiOnly, "a tab shows another panel"),
    }
}

fn writing(subject: &Subject<'_>, element: &ElementNode) -> Sign {
    if element.role == UIRole::Searchbox || filters(subject, element) {
        return Sign::new(SideEffectClass::UiOnly, "it searches or filters what is shown");
    }
    Sign::new(SideEffectClass::Draft, "a field of a form")
}

fn toggling(subject: &Subject<'_>, element: &ElementNode) -> Sign {
    let name = words_of(element);
    let in_table = around(subject).any(|scope| matches!(scope.kind, ScopeKind::Table | ScopeKind::List));
    if element.role == UIRole::Checkbox && (lexicon::is_selection(&name) || (in_table && name.is_empty())) {
        return Sign::new(SideEffectClass::UiOnly, "it marks entries, which by itself does nothing");
    }
    if filters(subject, element) {
        return Sign::new(SideEffectClass::UiOnly, "it filters what is shown");
    }
    if in_form(subject) {
        return Sign::new(SideEffectClass::Draft, "a field of a form");
    }
    Sign::new(SideEffectClass::Unknown, "a switch outside of a form may take effect at once")
}

fn choosing(subject: &Subject<'_>, element: &ElementNode) -> Sign {
    if lexicon::is_language(&words_of(element)) {
        return another_language();
    }
    if filters(subject, element) {
        return Sign::new(SideEffectClass::UiOnly, "it filters or sorts what is shown");
    }
    if in_form(subject) {
        return Sign::new(SideEffectClass::Draft, "a field of a form");
    }
    Sign::new(SideEffectClass::Unknown, "a choice outside of a form may take effect at once")
}

fn link(subject: &Subject<'_>, element: &ElementNode) -> Sign {
    let name = words_of(element);
    if lexicon::is_language(&name) {
        return another_language();
    }
    let href = told(element, fact::HREF);
    let navigates = || Sign::new(SideEffectClass::Navigation, "a link inside of the app");
    // What leads nowhere is pressed by a script, and then only its name or its picture says for what.
    if name.is_empty() && href.is_some_and(leads_nowhere) {
        return match by_icon(element) {
            Some(found) => Sign::new(class_of(found), "its picture says what it does"),
            None => Sign::new(SideEffectClass::Unknown, "it leads nowhere and has no name"),
        };
    }
    if href.is_some_and(leads_nowhere) {
        // It is a button in all but its looks: no noun, entry or menu makes it harmless.
        let found = lexicon::consequence(&name);
        if let Some(opening) = opening(element, found, &name) {
            return opening;
        }
        return match found {
            Some(Consequence::Harmless | Consequence::Opens | Consequence::SignIn) => {
                icon_or(element, navigates())
            }
            Some(found) => said(found, &name),
            None => {
                let because = format!("it leads nowhere, and nothing says what `{name}` does");
                Sign::new(SideEffectClass::Unknown, because)
            }
        };
    }
    let found = lexicon::of_place(&name);
    let Some(found) = found else { return icon_or(element, navigates()) };
    // The name of an entry is data; where it leads to the entry and not to what is done to it, the address counts.
    let is_entry = lexicon::split(&name).len() >= 3
        && href.is_some_and(|href| leads_to_entry(href, &name))
        && around(subject).any(is_collection);
    let in_navigation = around(subject).any(|scope| matches!(scope.kind, ScopeKind::Navigation));
    match found {
        Consequence::Harmless | Consequence::Opens | Consequence::SignIn => icon_or(element, navigates()),
        Consequence::Writes if in_navigation || is_entry => navigates(),
        _ if is_entry => navigates(),
        found => said(found, &name),
    }
}

/// Whether an address is there for the looks of a link only.
fn leads_nowhere(href: &str) -> bool {
    href.ends_with('#') || href.to_ascii_lowercase().starts_with("javascript:")
}

/// Whether an address is that of an entry: it ends in a number or in words of the entry's name.
fn leads_to_entry(href: &str, name: &str) -> bool {
    let path = template::path_of(href.split(['?', '#']).next().unwrap_or_default());
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let (words, named) = (lexicon::split(last), lexicon::split(name));
    address::is_id(last) || words.iter().filter(|word| named.contains(word)).count() >= 2
}

/// Whether an address leads to another page than the one that is shown.
fn leads_away(subject: &Subject<'_>, href: &str) -> bool {
    let page = |url: &str| url.split('#').next().map(str::to_owned);
    href.starts_with("http") && page(href) != page(&subject.graph.route.url)
}

fn is_collection(scope: &ScopeNode) -> bool {
    matches!(scope.kind, ScopeKind::List | ScopeKind::Table)
}

/// Buttons, entries of menus and whatever else can be pressed.
fn pressing(subject: &Subject<'_>, element: &ElementNode) -> Sign {
    let name = words_of(element);
    if lexicon::is_language(&name) {
        return another_language();
    }
    let found = lexicon::consequence(&name).or_else(|| by_icon(element).filter(|_| name.is_empty()));
    if let Some(opening) = opening(element, found, &name) {
        return opening;
    }
    if submits(subject, element) {
        return submitting(subject, element, found, &name);
    }
    let leads = told(element, fact::HREF);
    let is_drawn = |href| element.role == UIRole::Button && leads_away(subject, href);
    if leads.is_some_and(|href| element.role == UIRole::Menuitem || is_drawn(href)) {
        return link(subject, element);
    }
    if sorts(subject, element) {
        return Sign::new(SideEffectClass::UiOnly, "the head of a column sorts it");
    }
    match found {
        None if name.is_empty() => {
            Sign::new(SideEffectClass::Unknown, "it has no name that says what it does")
        }
        None if element.role == UIRole::Custom => {
            Sign::new(SideEffectClass::Unknown, "it has no role that says what it does")
        }
        None => Sign::new(SideEffectClass::Unknown, format!("nothing says what `{name}` does")),
        Some(Consequence::Invite) if asks_first(subject, element, &name) => {
            Sign::new(SideEffectClass::UiOnly, "it must ask whom first")
        }
        Some(Consequence::Opens) if fills(subject) => {
            Sign::new(SideEffectClass::DataWrite, format!("`{name}` beside fields may send them"))
        }
        Some(Consequence::Harmless | Consequence::Opens) if element.role == UIRole::Custom => {
            Sign::new(SideEffectClass::Unknown, "it has no role that says what it does")
        }
        Some(found) => said(found, &name),
    }
}

/// What only opens something: declared by the element itself. What takes away or costs is not tried even so.
fn opening(element: &ElementNode, found: Option<Consequence>, name: &str) -> Option<Sign> {
    let popup = element.state.has_popup.is_some_and(|popup| popup != HasPopup::No);
    let declared = popup || element.state.expanded.is_some() || told(element, fact::OPENS).is_some();
    let asks = name.ends_with('…') || name.ends_with("...");
    match found {
        Some(Consequence::Destroy | Consequence::SignOut | Consequence::Pay | Consequence::Security)
            if !name.ends_with('?') =>
        {
            None
        }
        Some(Consequence::Send | Consequence::Publish | Consequence::Upload | Consequence::Export)
            if !declared =>
        {
            None
        }
        _ if declared => Some(Sign::new(SideEffectClass::UiOnly, "it declares that it opens something")),
        Some(_) if asks => Some(Sign::new(SideEffectClass::UiOnly, "the dots say that it asks first")),
        _ => None,
    }
}

fn submitting(subject: &Subject<'_>, element: &ElementNode, found: Option<Consequence>, name: &str) -> Sign {
    if let Some(found) = found.filter(|found| *found >= Consequence::Export) {
        return said(found, name);
    }
    match told(element, fact::FORM_METHOD) {
        Some("dialog") => Sign::new(SideEffectClass::UiOnly, "it closes its dialog"),
        Some("get") => asking(element, found, name),
        _ if told(element, fact::FORM_METHOD).is_none() && filters(subject, element) => {
            Sign::new(SideEffectClass::Navigation, "its form searches")
        }
        _ if found == Some(Consequence::SignIn) => said(Consequence::SignIn, name),
        _ => {
            let action = told(element, fact::FORM_ACTION).and_then(address::consequence);
            let class = action.map_or(SideEffectClass::DataWrite, class_of);
            Sign::new(class, format!("`{name}` sends a form"))
        }
    }
}

/// A form that is sent with GET asks, unless its address or its button says otherwise.
fn asking(element: &ElementNode, found: Option<Consequence>, name: &str) -> Sign {
    if let Some(found) = told(element, fact::FORM_ACTION).and_then(address::consequence) {
        return Sign::new(class_of(found), format!("the address of the form says what `{name}` does"));
    }
    match found {
        Some(Consequence::Writes) if !lexicon::is_request(name) => said(Consequence::Writes, name),
        _ => Sign::new(SideEffectClass::Navigation, "its form asks with GET"),
    }
}

fn said(found: Consequence, name: &str) -> Sign {
    let what = match found {
        Consequence::Harmless => "shows or leads somewhere",
        Consequence::Opens => "asks for more first",
        Consequence::SignIn => "begins a session",
        Consequence::Writes => "changes data",
        Consequence::Export => "gives a file away",
        Consequence::Invite | Consequence::Send => "reaches other people",
        Consequence::Publish => "makes something public",
        Consequence::Upload => "brings a file in",
        Consequence::Security => "touches security",
        Consequence::Pay => "costs money or changes a contract",
        Consequence::SignOut => "ends the session",
        Consequence::Destroy => "takes something away",
    };
    let sign = Sign::new(class_of(found), format!("`{name}` {what}"));
    if found == Consequence::SignIn { sign.at(Area::Credential) } else { sign }
}

/// An icon that says something graver than the name counts.
fn icon_or(element: &ElementNode, sign: Sign) -> Sign {
    match by_icon(element).filter(|found| *found > Consequence::Export) {
        Some(found) if words_of(element).is_empty() => {
            Sign::new(class_of(found), "its picture says what it does")
        }
        _ => sign,
    }
}

fn by_icon(element: &ElementNode) -> Option<Consequence> {
    let icon = told(element, fact::ICON)?;
    let words = lexicon::split(icon);
    let pictured = words.iter().filter_map(|word| match word.as_str() {
        "bin" | "trashcan" | "garbage" => Some(Consequence::Destroy),
        "x" | "times" | "chevron" | "caret" | "arrow" | "ellipsis" | "dots" | "kebab" | "hamburger"
        | "bars" | "gear" | "cog" | "magnifier" | "question" | "eye" => Some(Consequence::Harmless),
        "envelope" | "paperplane" => Some(Consequence::Send),
        "cart" | "creditcard" => Some(Consequence::Pay),
        "power" | "exit" => Some(Consequence::SignOut),
        "pencil" | "pen" => Some(Consequence::Opens),
        "cloudupload" | "paperclip" => Some(Consequence::Upload),
        word => lexicon::of_word(word),
    });
    pictured.max()
}

fn another_language() -> Sign {
    Sign::new(SideEffectClass::DataWrite, "it changes the language of the whole app").at(Area::Manual)
}

/// The words of a name. Signs for private use are pictures that come as a font.
fn words_of(element: &ElementNode) -> String {
    let is_picture = |letter: char| matches!(letter, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{ffffd}' | '\u{100000}'..='\u{10fffd}');
    let name = element.name.as_deref().unwrap_or_default();
    name.replace(is_picture, "").trim().to_owned()
}

pub(in crate::safety) fn submits(subject: &Subject<'_>, element: &ElementNode) -> bool {
    element.affordances.contains(&UIAffordance::Submit)
        || told(element, fact::SUBMITS).is_some()
        || subject.scope.and_then(|scope| scope.submit_target.as_ref()) == Some(&element.instance_id)
}

pub(in crate::safety) fn in_form(subject: &Subject<'_>) -> bool {
    around(subject).any(|scope| matches!(scope.kind, ScopeKind::Form | ScopeKind::Dialog | ScopeKind::Drawer))
}

/// Whether the nearest form, dialog or drawer around holds fields.
fn fills(subject: &Subject<'_>) -> bool {
    let Some(home) = around(subject)
        .find(|scope| matches!(scope.kind, ScopeKind::Form | ScopeKind::Dialog | ScopeKind::Drawer))
    else {
        return false;
    };
    subject.graph.elements().any(|(_, scope, element)| {
        let here = scope.id == home.id || scope.parent_scope_id.as_ref() == Some(&home.id);
        here && matches!(
            element.role,
            UIRole::Textbox
                | UIRole::Textarea
                | UIRole::Combobox
                | UIRole::Checkbox
                | UIRole::Datepicker
                | UIRole::Fileinput
        )
    })
}

/// An invitation to nobody in particular, away from fields that could name somebody.
fn asks_first(subject: &Subject<'_>, element: &ElementNode, name: &str) -> bool {
    element.role == UIRole::Button && !in_form(subject) && lexicon::names_nobody(name)
}

/// Whether what is around says that it searches, filters or sorts.
fn filters(subject: &Subject<'_>, element: &ElementNode) -> bool {
    let named = |text: Option<&str>| text.is_some_and(lexicon::is_filter);
    if told(element, fact::FORM_METHOD) == Some("get") || named(element.meaning.as_deref()) {
        return true;
    }
    let by_scope = around(subject)
        .filter(|scope| scope.kind != ScopeKind::Page)
        .take(2)
        .any(|scope| named(scope.name.as_deref()) || named(Some(scope.id.as_str().trim_start_matches('~'))));
    let by_name = named(element.name.as_deref()) && !in_form(subject);
    by_scope || by_name
}

/// A button in the head of a table.
fn sorts(subject: &Subject<'_>, element: &ElementNode) -> bool {
    let Some(table) = subject.scope.filter(|scope| scope.kind == ScopeKind::Table) else { return false };
    let parent = |id: Option<&uiap_model::names::ElementInstanceId>| {
        id.and_then(|id| table.elements.iter().find(|each| each.instance_id == *id))
    };
    let Some(cell) = parent(element.parent_instance_id.as_ref()).filter(|cell| cell.role == UIRole::Cell)
    else {
        return false;
    };
    let first = table.elements.iter().find(|each| each.role == UIRole::Row);
    let same_name = cell.name == element.name;
    same_name && first.is_some_and(|row| cell.parent_instance_id.as_ref() == Some(&row.instance_id))
}
