//! Limits of documents, and memory for those that were checked.

use std::path::PathBuf;

use clap::Args;

use trestle_service::flags::{Switch, at_least_one};

/// Limits of documents, and memory for caches of them.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Documents")]
pub struct DocumentArgs {
    /// Maximum size of a document, in bytes
    #[arg(
        long,
        env = "TRESTLE_MAX_DOCUMENT_BYTES",
        default_value_t = 64 * 1024,
        value_parser = at_least_one::<usize>
    )]
    pub max_document_bytes: usize,

    /// Maximum number of tokens of a document
    #[arg(
        long,
        env = "TRESTLE_MAX_TOKENS",
        default_value_t = 2000,
        value_parser = at_least_one::<usize>
    )]
    pub max_tokens: usize,

    /// Maximum depth of nested fields, including fragments: 1 to 28
    #[arg(long, env = "TRESTLE_MAX_DEPTH", default_value_t = 15,
          value_parser = clap::value_parser!(u32).range(1..=28))]
    pub max_depth: u32,

    /// Maximum number of fields of an operation, including fragments
    #[arg(
        long,
        env = "TRESTLE_MAX_FIELDS",
        default_value_t = 500,
        value_parser = at_least_one::<u32>
    )]
    pub max_fields: u32,

    /// Maximum number of aliases of an operation, including fragments
    #[arg(long, env = "TRESTLE_MAX_ALIASES", default_value_t = 30)]
    pub max_aliases: u32,

    /// Maximum number of root fields of an operation
    #[arg(
        long,
        env = "TRESTLE_MAX_ROOT_FIELDS",
        default_value_t = 20,
        value_parser = at_least_one::<u32>
    )]
    pub max_root_fields: u32,

    /// Maximum number of directives of an operation, including fragments
    #[arg(long, env = "TRESTLE_MAX_DIRECTIVES", default_value_t = 20)]
    pub max_directives: u32,

    /// Maximum number of operations of a document
    #[arg(
        long,
        env = "TRESTLE_MAX_OPERATIONS",
        default_value_t = 10,
        value_parser = at_least_one::<u32>
    )]
    pub max_operations: u32,

    /// Maximum estimated cost of an operation: about one per object, multiplied by page sizes
    #[arg(
        long,
        env = "TRESTLE_MAX_COST",
        default_value_t = 10_000,
        value_parser = at_least_one::<u64>
    )]
    pub max_cost: u64,

    /// Memory for the cache of checked documents of each service, in bytes
    #[arg(long, env = "TRESTLE_DOCUMENT_CACHE_BYTES", default_value_t = 32 * 1024 * 1024)]
    pub document_cache_bytes: u64,

    /// Memory for automatic persisted queries, in bytes
    #[arg(long, env = "TRESTLE_PERSISTED_QUERY_BYTES", default_value_t = 8 * 1024 * 1024)]
    pub persisted_query_bytes: u64,

    /// JSON file of trusted documents: an object of documents by hash
    #[arg(long, env = "TRESTLE_TRUSTED_DOCUMENTS", value_name = "FILE")]
    pub trusted_documents: Option<PathBuf>,

    /// Execute only trusted documents
    #[arg(long, env = "TRESTLE_ONLY_TRUSTED_DOCUMENTS", value_parser = Switch)]
    pub only_trusted_documents: bool,

    /// Serve each service as a subgraph of Apollo Federation, whose entities are the types that implement Node
    #[arg(long, env = "TRESTLE_FEDERATION", value_parser = Switch)]
    pub federation: bool,
}
