//! Options of a new table on the command line.

use std::collections::HashSet;

use clap::Args;

use trestle_service::Failure;
use trestle_table::TableOptions;

/// Characters of a tag's key and value. Source: "Tagging restrictions in DynamoDB", the DynamoDB Developer Guide.
const MOST_KEY: usize = 128;
const MOST_VALUE: usize = 256;
const MOST_TAGS: usize = 50;
const OTHERS: &str = "+-=._:/@";

/// What a new table has beyond its keys and indexes.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "New tables")]
pub struct TableOptionArgs {
    /// Allow to restore the table to any moment of the last 35 days
    #[arg(long)]
    point_in_time_recovery: bool,

    /// Refuse to delete the table until this is taken off
    #[arg(long)]
    deletion_protection: bool,

    /// Give the table a stream with old and new items, for `serve --changes streams`
    #[arg(long)]
    stream: bool,

    /// A tag; may be repeated
    #[arg(long = "tag", value_name = "KEY=VALUE", value_parser = tag)]
    tags: Vec<(String, String)>,

    /// Most read request units per second
    #[arg(long, value_name = "UNITS", value_parser = clap::value_parser!(u32).range(1..))]
    max_read: Option<u32>,

    /// Most write request units per second
    #[arg(long, value_name = "UNITS", value_parser = clap::value_parser!(u32).range(1..))]
    max_write: Option<u32>,
}

fn tag(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, _)) if key.to_ascii_lowercase().starts_with("aws:") => {
            Err("must not begin with aws:, which AWS keeps for itself".to_owned())
        }
        Some((key, value))
            if (1..=MOST_KEY).contains(&key.chars().count())
                && value.chars().count() <= MOST_VALUE
                && text.chars().all(is_allowed) =>
        {
            Ok((key.to_owned(), value.to_owned()))
        }
        _ => Err(format!(
            "must be KEY=VALUE, with at most {MOST_KEY} and {MOST_VALUE} letters, digits, spaces and {OTHERS}"
        )),
    }
}

fn is_allowed(c: char) -> bool {
    c.is_alphanumeric() || c == ' ' || OTHERS.contains(c)
}

impl TableOptionArgs {
    /// The options.
    ///
    /// # Errors
    /// A tag is given twice, or there are too many.
    pub fn options(self) -> Result<TableOptions, Failure> {
        let mut keys = HashSet::new();
        if let Some((key, _)) = self.tags.iter().find(|(key, _)| !keys.insert(key)) {
            return Err(Failure::new(format!("The tag {key} is given twice.")));
        }
        if self.tags.len() > MOST_TAGS {
            return Err(Failure::new(format!("Give at most {MOST_TAGS} tags.")));
        }
        Ok(TableOptions {
            point_in_time_recovery: self.point_in_time_recovery,
            deletion_protection: self.deletion_protection,
            stream: self.stream,
            tags: self.tags,
            max_read: self.max_read,
            max_write: self.max_write,
        })
    }
}
