//! Why an input did not reach its target.

use uiap_cdp::CallError;

use super::aim::{Described, HitTest};
use crate::error::PageError;

/// Why an input did not reach its target, or nobody knows whether it did.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The page could not be asked.
    #[error(transparent)]
    Page(#[from] PageError),
    /// The page could not be asked where the target is; nothing was sent.
    #[error(transparent)]
    Unaimed(PageError),
    /// A pointer cannot reach the target; nothing was sent.
    #[error("the target cannot be reached: {0}")]
    Unreachable(HitTest),
    /// Something else came between; the page was kept from seeing the event.
    #[error("the event met {0} instead of the target and was held back")]
    Intercepted(Described),
    /// The events were sent, and the page saw none of them.
    #[error("the page received none of the events")]
    Undelivered,
    /// The target does not take the keyboard, or loses it at once; nothing was typed.
    #[error("the target does not keep the focus")]
    Unfocused,
    /// No key has that name.
    #[error("there is no key `{0}`")]
    UnknownKey(String),
    /// The target takes no files and opened no chooser.
    #[error("no file chooser opened")]
    NoChooser,
    /// A number that makes no sense, such as a distance of infinity.
    #[error("`{0}` is out of range")]
    OutOfRange(&'static str),
}

impl From<CallError> for InputError {
    fn from(error: CallError) -> Self {
        Self::Page(error.into())
    }
}

impl InputError {
    /// The same before anything was sent.
    pub(super) fn unaimed(self) -> Self {
        match self {
            Self::Page(error) => Self::Unaimed(error),
            other => other,
        }
    }

    /// Whether the page has certainly not seen the input.
    pub fn is_without_effect(&self) -> bool {
        matches!(
            self,
            Self::Unaimed(_)
                | Self::Unreachable(_)
                | Self::Intercepted(_)
                | Self::Unfocused
                | Self::UnknownKey(_)
                | Self::OutOfRange(_)
        )
    }
}
