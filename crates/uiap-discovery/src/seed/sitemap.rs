//! What a sitemap names. One that lists other sitemaps is followed, as far as that makes sense.

use super::address::Base;
use super::{Offer, SITEMAP};

/// Where an app keeps its sitemap.
pub const PATH: &str = "/sitemap.xml";
/// Sitemaps that are read, with those that they list.
const MOST_FILES: usize = 20;
/// How deep sitemaps may list sitemaps.
const DEEPEST: usize = 2;
/// Addresses that are weighed.
const MOST_ADDRESSES: usize = 5_000;

/// Sitemaps that are being read.
#[derive(Debug)]
pub struct Sitemaps {
    waiting: std::collections::VecDeque<(String, usize)>,
    asked: usize,
    weighed: usize,
    left_out: usize,
    offers: Vec<Offer>,
}

impl Default for Sitemaps {
    fn default() -> Self {
        let waiting = [(PATH.to_owned(), 0)].into();
        Self { waiting, asked: 0, weighed: 0, left_out: 0, offers: Vec::new() }
    }
}

impl Sitemaps {
    /// The next one to read: its address, and how deep it was found.
    pub fn turn(&mut self) -> Option<(String, usize)> {
        let (address, depth) = self.waiting.pop_front()?;
        if self.asked >= MOST_FILES {
            self.refuse(&address, format!("{MOST_FILES} sitemaps were read already"));
            return None;
        }
        self.asked += 1;
        Some((address, depth))
    }

    /// Takes up what was read at an address, or why nothing was.
    pub fn read(&mut self, base: &Base, address: &str, depth: usize, text: Result<String, String>) {
        let text = match text {
            Ok(text) => text,
            Err(reason) => return self.refuse(address, reason),
        };
        if text.contains("<sitemapindex") {
            for link in locations(&text) {
                match base.within(&link) {
                    Err(refusal) => self.refuse(&link, refusal.to_string()),
                    Ok(_) if link.to_ascii_lowercase().ends_with(".gz") => {
                        self.refuse(&link, "it is compressed".to_owned());
                    }
                    Ok(_) if depth >= DEEPEST => {
                        self.refuse(&link, format!("sitemaps list sitemaps more than {DEEPEST} deep"));
                    }
                    Ok(address) => self.waiting.push_back((address, depth + 1)),
                }
            }
        } else if text.contains("<urlset") {
            for link in locations(&text) {
                if self.weighed < MOST_ADDRESSES {
                    self.weighed += 1;
                    self.offers.push(Offer::url(&link, SITEMAP));
                } else {
                    self.left_out += 1;
                }
            }
        } else {
            self.refuse(address, "what is there is no sitemap".to_owned());
        }
    }

    /// Everything that they propose.
    pub fn offers(mut self) -> Vec<Offer> {
        if self.left_out > 0 {
            let reason = format!("{} addresses were weighed, {} were left out", self.weighed, self.left_out);
            self.refuse("the rest", reason);
        }
        let waiting = std::mem::take(&mut self.waiting);
        if !waiting.is_empty() {
            self.refuse("the other sitemaps", format!("{} sitemaps were not read", waiting.len()));
        }
        self.offers
    }

    fn refuse(&mut self, address: &str, reason: String) {
        let seed = uiap_model::discovery::DiscoverySeed::Documentation { r#ref: address.into() };
        self.offers.push(Offer::refused(seed, SITEMAP, reason));
    }
}

/// What stands between `<loc>` and its end.
fn locations(text: &str) -> impl Iterator<Item = String> {
    text.split("<loc>").skip(1).filter_map(|part| {
        let link = part.split('<').next()?.trim().replace("&amp;", "&");
        (!link.is_empty()).then_some(link)
    })
}
