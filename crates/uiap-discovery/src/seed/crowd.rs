//! How many addresses a source may propose. A sitemap of fifty thousand is not a plan: a few of each kind stand for the others.

use std::collections::HashMap;
use std::fmt;

use super::{COMMAND_LINE, DOCUMENTATION, SITEMAP};
use crate::safety::address;
use crate::template;

/// Addresses of one kind, such as `/videos/:id`.
const MOST_OF_A_KIND: usize = 3;
/// Addresses in one folder.
const MOST_IN_A_FOLDER: usize = 25;
/// Addresses that are opened because somebody else than the person who asks proposes them.
const MOST: usize = 500;

/// Why an address is left alone that does something when it is only asked for.
pub(crate) const ACTS: &str = "its address says that asking for it changes something";

/// What was admitted so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Crowd {
    admitted: usize,
    kinds: HashMap<String, usize>,
    folders: HashMap<String, usize>,
    /// How often was refused for the same reason, and the seed that stands for all of them.
    refused: HashMap<String, usize>,
    standing: HashMap<String, usize>,
}

/// Why an address is not opened.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    reason: String,
    /// How many were refused before for the same reason; none where each is told by itself.
    before: Option<usize>,
}

impl Refusal {
    /// One that is told by itself.
    pub(crate) fn alone(reason: String) -> Self {
        Self { reason, before: None }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)?;
        match self.before {
            Some(before @ 1..) => write!(f, "; so are {before} more that are not listed"),
            _ => Ok(()),
        }
    }
}

impl Crowd {
    /// Whether one more address is opened, or why not.
    pub(crate) fn admit(&mut self, url: &str, origin: &str) -> Result<(), Refusal> {
        if origin == COMMAND_LINE {
            return Ok(());
        }
        if address::acts(url) {
            return Err(Refusal::alone(ACTS.to_owned()));
        }
        if self.admitted >= MOST {
            return Err(self.refuse(format!("there are {MOST} places to begin at already")));
        }
        if origin == SITEMAP || origin == DOCUMENTATION {
            let kind = template::normalised(url);
            let folder = kind.rsplit_once('/').map(|(folder, _)| folder.to_owned()).unwrap_or_default();
            if self.kinds.get(&kind).is_some_and(|count| *count >= MOST_OF_A_KIND) {
                return Err(self.refuse(format!("one of many of its kind, `{kind}`")));
            }
            // What lies at the root are names, not things of a kind.
            if !folder.is_empty() && self.folders.get(&folder).is_some_and(|count| *count >= MOST_IN_A_FOLDER)
            {
                return Err(self.refuse(format!("one of many of its kind, in `{folder}/`")));
            }
            *self.kinds.entry(kind).or_default() += 1;
            *self.folders.entry(folder).or_default() += 1;
        }
        self.admitted += 1;
        Ok(())
    }

    fn refuse(&mut self, reason: String) -> Refusal {
        let count = self.refused.entry(reason.clone()).or_default();
        let before = Some(*count);
        *count += 1;
        Refusal { reason, before }
    }

    /// The seed that stands for all that were refused for the same reason.
    pub(crate) fn stands_for(&self, refusal: &Refusal) -> Option<usize> {
        refusal.before.and_then(|_| self.standing.get(&refusal.reason).copied())
    }

    /// From now on a seed stands for them.
    pub(crate) fn stand(&mut self, refusal: &Refusal, at: usize) {
        if refusal.before.is_some() {
            self.standing.insert(refusal.reason.clone(), at);
        }
    }
}
