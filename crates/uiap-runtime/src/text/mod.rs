//! A page as text for models: `- role "Name" [ref=e12] [state]`, nested by scope.
//!
//! | file | what it does |
//! |---|---|
//! | `refs` | short names for elements that live as long as the elements |
//! | `escape` | text of a page, quoted so that it stays data |
//! | `tokens` | how much a model pays for a text |
//! | `line` | one element as one line |
//! | `outline` | the lines of a page in order, and how they nest |
//! | `rank` | what is shown when not everything fits |
//! | `page` | the whole page within a budget |
//! | `change` | what changed between two revisions |
//! | `find` | elements by role, name and text |

mod change;
mod escape;
mod find;
mod line;
mod outline;
mod page;
mod rank;
mod refs;
mod tokens;

pub use change::{Change, change};
pub use escape::{harmless, quoted};
pub use find::{Found, Query, find};
pub use page::{Page, TextOptions, page};
pub use refs::Refs;
pub use tokens::estimate;
