//! Search over published startups, by reading them.
//!
//! A page reads at most [`READ_FOR_A_PAGE`] startups of each visibility, about 2 MB. With more than about 10,000 published
//! startups a rare word takes several pages to find, and a search engine that follows the table's stream is needed.

use crate::table::Listing;

use super::{Startup, Visibility, published};

/// Number of startups of each visibility that are read for one page, at most.
const READ_FOR_A_PAGE: usize = 2000;

/// Active startups of these visibilities that contain every word of the query, newest first. GSI2, one Query for each
/// visibility, and further ones until the page is full or the bound is reached.
pub fn search(visibilities: &[Visibility], query: &str) -> Listing<Startup> {
    let words: Vec<_> = query.split_whitespace().map(str::to_lowercase).collect();
    let name = words.join(" ");
    published(visibilities)
        .keeping(name, move |startup| {
            words.iter().all(|word| contains(startup, word))
        })
        .reading_at_most(READ_FOR_A_PAGE)
}

fn contains(startup: &Startup, word: &str) -> bool {
    let texts = [
        startup.name.as_str(),
        startup.tagline.as_str(),
        startup.industry.as_str(),
    ];
    let tags = startup.tags.as_slice().iter().map(|tag| tag.as_str());
    texts
        .into_iter()
        .chain(tags)
        .any(|text| text.to_lowercase().contains(word))
}
