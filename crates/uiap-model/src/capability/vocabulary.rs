//! The vocabularies that a capability document draws from.

use uiap_model_derive::wire;

/// What a thing of the interface is.
#[wire(open)]
pub enum UIRole {
    App,
    Route,
    Region,
    Group,
    Form,
    Dialog,
    Drawer,
    Popover,
    Tabpanel,
    Link,
    Menu,
    Menuitem,
    Tablist,
    Tab,
    Toolbar,
    Breadcrumb,
    Pagination,
    List,
    Listitem,
    Table,
    Row,
    Cell,
    Grid,
    Tree,
    Treeitem,
    Button,
    Textbox,
    Textarea,
    Searchbox,
    Combobox,
    Listbox,
    Option,
    Checkbox,
    Radio,
    Switch,
    Slider,
    Spinbutton,
    Datepicker,
    Timepicker,
    Fileinput,
    Label,
    Alert,
    Toast,
    Status,
    Progress,
    Spinner,
    Image,
    Video,
    Audio,
    Canvas,
    Custom,
}

impl UIRole {
    /// Whether it takes a value from its user, so that its name is a label and not its content.
    pub fn is_field(&self) -> bool {
        matches!(
            self,
            Self::Textbox
                | Self::Textarea
                | Self::Searchbox
                | Self::Combobox
                | Self::Listbox
                | Self::Checkbox
                | Self::Radio
                | Self::Switch
                | Self::Slider
                | Self::Spinbutton
                | Self::Datepicker
                | Self::Timepicker
                | Self::Fileinput
        )
    }
}

/// A member of [`UIState`](super::UIState).
#[wire(open)]
pub enum UIStateKey {
    Visible,
    Enabled,
    Focusable,
    Focused,
    Editable,
    Readonly,
    Required,
    Busy,
    Loading,
    Blocked,
    Selected,
    Checked,
    Pressed,
    Expanded,
    Open,
    Modal,
    Hovered,
    Dragged,
    Current,
    Invalid,
    Multiline,
    HasPopup,
    Orientation,
    TextValue,
    NumericValue,
    Min,
    Max,
    Step,
    Placeholder,
    Description,
    Sensitive,
    Obscured,
}

/// What an element offers in principle.
#[wire(open)]
pub enum UIAffordance {
    Read,
    Focus,
    Activate,
    Edit,
    Choose,
    Toggle,
    Expand,
    Collapse,
    Open,
    Close,
    Scroll,
    Submit,
    Dismiss,
    Drag,
    Drop,
    Resize,
    Upload,
    Navigate,
    Invoke,
}

/// The actions that the protocol itself defines.
#[wire(case = "dotted")]
pub enum PrimitiveActionType {
    UiRead,
    UiFocus,
    UiHighlight,
    UiHover,
    UiActivate,
    UiEnterText,
    UiClearText,
    UiSetValue,
    UiChoose,
    UiToggle,
    UiExpand,
    UiCollapse,
    UiOpen,
    UiClose,
    UiScrollIntoView,
    UiScroll,
    UiSubmit,
    UiUpload,
    NavNavigate,
    AppInvoke,
}

/// How an action is carried out. The order here has no meaning; see `docs/adr` for the order of fallback.
#[wire]
pub enum ExecutionMode {
    /// A function that the app registered.
    AppAction,
    /// The semantics of the element.
    SemanticUi,
    /// Input made inside the page.
    InputSynthesis,
    /// A driver outside of the page.
    ExternalDriver,
    /// A picture of the page.
    VisionAssist,
}
