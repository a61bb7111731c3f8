//! Search over published startups, by reading them.
//!
//! A page reads at most [`READ_FOR_A_PAGE`] startups of each visibility, about 2 MB. With more than about 10,000 published
//! startups a rare word takes several pages to find, and a search engine that follows the table's stream is needed.

use async_graphql::InputObject;
use trestle_api::Input;
use trestle_domain::{Check, Text, Violations};
use trestle_table::Listing;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::{Startup, StartupStage, Visibility, published};

/// Number of startups of each visibility that are read for one page, at most.
const READ_FOR_A_PAGE: usize = 2000;

/// Which startups to return. A startup must match every field that is given.
#[derive(InputObject, Clone, Default)]
pub struct StartupFilter {
    /// Stages, of which the startup must have one.
    stages: Option<Vec<StartupStage>>,
    /// Text in the industry. Letter case and accents are ignored.
    industry: Option<Input<Text<1, 80>>>,
    /// Text in the location. Letter case and accents are ignored.
    location: Option<Input<Text<1, 120>>>,
}

/// A query and a filter whose values are valid.
struct Wanted {
    words: Vec<String>,
    stages: Option<Vec<StartupStage>>,
    industry: Option<String>,
    location: Option<String>,
}

/// Active startups of these visibilities that contain every word of the query and match the filter, newest first. GSI2, one
/// Query for each visibility. If there is a query or a filter, further ones until the page is full or the bound is reached.
///
/// # Errors
/// The rules that the filter breaks.
pub fn search(
    visibilities: &[Visibility],
    query: &str,
    filter: StartupFilter,
) -> Result<Listing<Startup>, Violations> {
    let mut check = Check::default();
    let industry = check.if_given("industry", filter.industry);
    let location = check.if_given("location", filter.location);
    check.finish(|| Some(()))?;
    let wanted = Wanted {
        words: query.split_whitespace().map(folded).collect(),
        stages: filter.stages,
        industry: industry.map(|industry| folded(industry.as_str())),
        location: location.map(|location| folded(location.as_str())),
    };
    let list = published(visibilities);
    match wanted.name() {
        name if name.is_empty() => Ok(list),
        name => Ok(list
            .keeping(name, move |startup| wanted.includes(startup))
            .reading_at_most(READ_FOR_A_PAGE)),
    }
}

impl Wanted {
    /// What is wanted, which cursors contain.
    fn name(&self) -> String {
        let mut name = self.words.join(" ");
        if let Some(stages) = &self.stages {
            let words: Vec<_> = stages.iter().map(|stage| stage.word()).collect();
            name.push_str(&format!(" stages={}", words.join(",")));
        }
        for (field, text) in [("industry", &self.industry), ("location", &self.location)] {
            if let Some(text) = text {
                name.push_str(&format!(" {field}={text:?}"));
            }
        }
        name
    }

    fn includes(&self, startup: &Startup) -> bool {
        let has_stage = self
            .stages
            .as_ref()
            .is_none_or(|stages| stages.contains(&startup.stage));
        has_stage
            && is_in(self.industry.as_deref(), startup.industry.as_str())
            && is_in(self.location.as_deref(), startup.location.as_str())
            && self.words.iter().all(|word| contains(startup, word))
    }
}

/// Whether a text has a folded part, if one is wanted.
fn is_in(part: Option<&str>, text: &str) -> bool {
    part.is_none_or(|part| folded(text).contains(part))
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
