//! The stored shapes: attribute names, types and enum strings exactly as every program that reads the
//! table expects them. Converts from and to the model; knows nothing of requests.

mod application;
mod history;
mod insight;
mod meta;
mod stage;

use crate::table::MalformedItem;

use super::model::{Rule, Text};

pub use application::ApplicationItem;
pub use history::{HistoryItem, HistoryLine, HistoryLineItem, SnapshotStagesItem};
pub use insight::CountersItem;
pub use meta::MetaItem;
pub use stage::StageItem;

/// Names the attribute that breaks a rule.
struct Attributes(&'static str);

impl Attributes {
    fn read<T>(&self, attribute: &str, parsed: Result<T, Rule>) -> Result<T, MalformedItem> {
        parsed.map_err(|rule| self.malformed(attribute, &rule))
    }

    /// Blank text of another program is no value.
    fn read_opt<R, T>(
        &self,
        attribute: &str,
        raw: Option<R>,
        parse: impl FnOnce(R) -> Result<T, Rule>,
    ) -> Result<Option<T>, MalformedItem> {
        match raw.map(parse).transpose() {
            Err(Rule::Required) => Ok(None),
            parsed => self.read(attribute, parsed),
        }
    }

    fn malformed(&self, attribute: &str, rule: &Rule) -> MalformedItem {
        MalformedItem {
            entity: self.0,
            reason: format!("attribute {attribute}: {rule:?}"),
        }
    }
}

fn text<const MAX: usize>(raw: String) -> Result<Text<MAX>, Rule> {
    Text::parse(&raw)
}
