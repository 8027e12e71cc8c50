//! What native and ARIA roles mean in the protocol's words: one table for every surface.

use crate::capability::vocabulary::{PrimitiveActionType, UIAffordance, UIRole};

/// An element as a surface finds it.
#[derive(Clone, Copy, Debug, Default)]
pub struct NativeElement<'a> {
    /// Tag name in small letters.
    pub tag: &'a str,
    /// `type` of an input, in small letters.
    pub input_type: Option<&'a str>,
    /// First known token of the `role` attribute.
    pub aria_role: Option<&'a str>,
    /// Whether it is a link with a target.
    pub has_href: bool,
    /// Whether a select shows several options at once.
    pub is_list: bool,
    /// Whether its text can be edited in place.
    pub content_editable: bool,
}

/// ARIA roles whose name or meaning differs here, or that name themselves. Sorted.
pub const ARIA_ROLES: &[(&str, UIRole)] = &[
    ("alert", UIRole::Alert),
    ("alertdialog", UIRole::Dialog),
    ("application", UIRole::App),
    ("banner", UIRole::Region),
    ("button", UIRole::Button),
    ("cell", UIRole::Cell),
    ("checkbox", UIRole::Checkbox),
    ("columnheader", UIRole::Cell),
    ("combobox", UIRole::Combobox),
    ("complementary", UIRole::Region),
    ("contentinfo", UIRole::Region),
    ("dialog", UIRole::Dialog),
    ("form", UIRole::Form),
    ("grid", UIRole::Grid),
    ("gridcell", UIRole::Cell),
    ("group", UIRole::Group),
    ("img", UIRole::Image),
    ("link", UIRole::Link),
    ("list", UIRole::List),
    ("listbox", UIRole::Listbox),
    ("listitem", UIRole::Listitem),
    ("log", UIRole::Status),
    ("main", UIRole::Region),
    ("menu", UIRole::Menu),
    ("menubar", UIRole::Menu),
    ("menuitem", UIRole::Menuitem),
    ("menuitemcheckbox", UIRole::Menuitem),
    ("menuitemradio", UIRole::Menuitem),
    ("meter", UIRole::Progress),
    ("navigation", UIRole::Region),
    ("option", UIRole::Option),
    ("progressbar", UIRole::Progress),
    ("radio", UIRole::Radio),
    ("radiogroup", UIRole::Group),
    ("region", UIRole::Region),
    ("row", UIRole::Row),
    ("rowheader", UIRole::Cell),
    ("search", UIRole::Region),
    ("searchbox", UIRole::Searchbox),
    ("slider", UIRole::Slider),
    ("spinbutton", UIRole::Spinbutton),
    ("status", UIRole::Status),
    ("switch", UIRole::Switch),
    ("tab", UIRole::Tab),
    ("table", UIRole::Table),
    ("tablist", UIRole::Tablist),
    ("tabpanel", UIRole::Tabpanel),
    ("textbox", UIRole::Textbox),
    ("timer", UIRole::Status),
    ("toolbar", UIRole::Toolbar),
    ("tooltip", UIRole::Popover),
    ("tree", UIRole::Tree),
    ("treegrid", UIRole::Grid),
    ("treeitem", UIRole::Treeitem),
];

/// Tags that mean one thing. Sorted.
pub const TAGS: &[(&str, UIRole)] = &[
    ("article", UIRole::Region),
    ("aside", UIRole::Region),
    ("audio", UIRole::Audio),
    ("button", UIRole::Button),
    ("canvas", UIRole::Canvas),
    ("dialog", UIRole::Dialog),
    ("fieldset", UIRole::Group),
    ("footer", UIRole::Region),
    ("form", UIRole::Form),
    ("header", UIRole::Region),
    ("img", UIRole::Image),
    ("label", UIRole::Label),
    ("li", UIRole::Listitem),
    ("main", UIRole::Region),
    ("menu", UIRole::List),
    ("meter", UIRole::Progress),
    ("nav", UIRole::Region),
    ("ol", UIRole::List),
    ("optgroup", UIRole::Group),
    ("option", UIRole::Option),
    ("output", UIRole::Status),
    ("progress", UIRole::Progress),
    ("search", UIRole::Region),
    ("section", UIRole::Region),
    ("summary", UIRole::Button),
    ("table", UIRole::Table),
    ("td", UIRole::Cell),
    ("textarea", UIRole::Textarea),
    ("th", UIRole::Cell),
    ("tr", UIRole::Row),
    ("ul", UIRole::List),
    ("video", UIRole::Video),
];

/// Types of `input`; any other is a text field. Sorted.
pub const INPUT_TYPES: &[(&str, UIRole)] = &[
    ("button", UIRole::Button),
    ("checkbox", UIRole::Checkbox),
    ("date", UIRole::Datepicker),
    ("datetime-local", UIRole::Datepicker),
    ("file", UIRole::Fileinput),
    ("image", UIRole::Button),
    ("month", UIRole::Datepicker),
    ("number", UIRole::Spinbutton),
    ("radio", UIRole::Radio),
    ("range", UIRole::Slider),
    ("reset", UIRole::Button),
    ("search", UIRole::Searchbox),
    ("submit", UIRole::Button),
    ("time", UIRole::Timepicker),
    ("week", UIRole::Datepicker),
];

fn find(table: &[(&str, UIRole)], key: &str) -> Option<UIRole> {
    let at = table.binary_search_by_key(&key, |(name, _)| name).ok()?;
    table.get(at).map(|(_, role)| role.clone())
}

/// The role by explicit ARIA, then by native semantics; `None` for what means nothing by itself.
pub fn role_of(element: &NativeElement<'_>) -> Option<UIRole> {
    if let Some(role) = element.aria_role.and_then(|role| find(ARIA_ROLES, role)) {
        return Some(role);
    }
    match element.tag {
        "a" | "area" => element.has_href.then_some(UIRole::Link),
        "input" => {
            let kind = element.input_type.unwrap_or("text");
            (kind != "hidden").then(|| find(INPUT_TYPES, kind).unwrap_or(UIRole::Textbox))
        }
        "select" => Some(if element.is_list { UIRole::Listbox } else { UIRole::Combobox }),
        _ if element.content_editable => Some(UIRole::Textarea),
        tag => find(TAGS, tag),
    }
}

/// A core role that fits better than `custom`, if the element's own semantics have one.
pub fn better_than_custom(declared: &UIRole, element: &NativeElement<'_>) -> Option<UIRole> {
    if *declared == UIRole::Custom { role_of(element).filter(|role| *role != UIRole::Canvas) } else { None }
}

/// What an element of that role offers in principle.
pub fn affordances_of(role: &UIRole) -> &'static [UIAffordance] {
    use UIAffordance::{
        Activate, Choose, Close, Dismiss, Edit, Focus, Navigate, Read, Scroll, Submit, Toggle, Upload,
    };
    match role {
        UIRole::Button | UIRole::Menuitem | UIRole::Tab | UIRole::Treeitem => &[Read, Focus, Activate],
        UIRole::Link => &[Read, Focus, Activate, Navigate],
        UIRole::Textbox
        | UIRole::Textarea
        | UIRole::Searchbox
        | UIRole::Spinbutton
        | UIRole::Slider
        | UIRole::Datepicker
        | UIRole::Timepicker => &[Read, Focus, Edit],
        UIRole::Combobox | UIRole::Listbox => &[Read, Focus, Choose],
        UIRole::Option => &[Read, Choose],
        UIRole::Checkbox | UIRole::Radio | UIRole::Switch => &[Read, Focus, Toggle],
        UIRole::Fileinput => &[Read, Focus, Upload],
        UIRole::Form => &[Read, Submit],
        UIRole::Dialog | UIRole::Drawer | UIRole::Popover => &[Read, Close, Dismiss],
        UIRole::List | UIRole::Table | UIRole::Grid | UIRole::Tree => &[Read, Scroll],
        _ => &[Read],
    }
}

/// The primitive actions that an affordance makes possible.
pub fn actions_for(affordance: &UIAffordance) -> &'static [PrimitiveActionType] {
    use PrimitiveActionType as Action;
    match affordance {
        UIAffordance::Read => &[Action::UiRead],
        UIAffordance::Focus => &[Action::UiFocus],
        UIAffordance::Activate => &[Action::UiActivate],
        UIAffordance::Edit => &[Action::UiEnterText, Action::UiClearText, Action::UiSetValue],
        UIAffordance::Choose => &[Action::UiChoose],
        UIAffordance::Toggle => &[Action::UiToggle],
        UIAffordance::Expand => &[Action::UiExpand],
        UIAffordance::Collapse => &[Action::UiCollapse],
        UIAffordance::Open => &[Action::UiOpen],
        UIAffordance::Close | UIAffordance::Dismiss => &[Action::UiClose],
        UIAffordance::Scroll => &[Action::UiScroll],
        UIAffordance::Submit => &[Action::UiSubmit],
        UIAffordance::Upload => &[Action::UiUpload],
        UIAffordance::Navigate => &[Action::NavNavigate],
        UIAffordance::Invoke => &[Action::AppInvoke],
        _ => &[],
    }
}

/// Whether the action can be asked of an element with these affordances. Reading and looking always can.
pub fn accepts(action: PrimitiveActionType, offered: &[UIAffordance]) -> bool {
    use PrimitiveActionType as Action;
    let always = matches!(
        action,
        Action::UiRead | Action::UiHighlight | Action::UiHover | Action::UiScrollIntoView | Action::UiScroll
    );
    always || offered.iter().any(|affordance| actions_for(affordance).contains(&action))
}
