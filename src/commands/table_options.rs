//! Options of a new table on the command line.

use clap::Args;

use crate::table::TableOptions;

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
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("must be KEY=VALUE".to_owned()),
    }
}

impl From<TableOptionArgs> for TableOptions {
    fn from(args: TableOptionArgs) -> Self {
        Self {
            point_in_time_recovery: args.point_in_time_recovery,
            deletion_protection: args.deletion_protection,
            stream: args.stream,
            tags: args.tags,
            max_read: args.max_read,
            max_write: args.max_write,
        }
    }
}
