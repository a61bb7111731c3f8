//! Search over published startups, by reading them.
//!
//! A page reads at most [`READ_FOR_A_PAGE`] startups of each visibility, about 2 MB. With more than about 10,000 published
//! startups a rare word takes several pages to find, and a search engine that follows the table's stream is needed.

use trestle_table::Listing;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::{Startup, Visibility, published};

/// Number of startups of each visibility that are read for one page, at most.
const READ_FOR_A_PAGE: usize = 2000;

/// Active startups of these visibilities that contain every word of the query, newest first. GSI2, one Query for each
/// visibility, and further ones until the page is full or the bound is reached.
pub fn search(visibilities: &[Visibility], query: &str) -> Listing<Startup> {
    let words: Vec<_> = query.split_whitespace().map(folded).collect();
    let name = words.join(" ");
    published(visibilities)
        .keeping(name, move |startup| {
            words.iter().all(|word| contains(startup, word))
        })
        .reading_at_most(READ_FOR_A_PAGE)
}

/// A text in lower case and without accents: `cafe` finds `Café`.
pub fn folded(text: &str) -> String {
    let decomposed = text.nfkd().filter(|c| !is_combining_mark(*c));
    decomposed.collect::<String>().to_lowercase()
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
        .any(|text| folded(text).contains(word))
}
