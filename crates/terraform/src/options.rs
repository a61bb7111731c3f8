//! What decides about an analysis besides the files.

use std::ffi::OsString;

use super::hash_key::HashKey;

/// What decides about an analysis besides the files.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folder of the root module.
    pub root: Option<String>,
    /// Values of variables, in the order in which they are given: the last one counts.
    pub given: Vec<Given>,
    /// The key of the hashes of values. Graphs that are compared with each other need the same key.
    pub hash_key: HashKey,
    /// The workspace; if it is left out, the one that is selected in the folder of a root module, if any.
    pub workspace: Option<String>,
    /// Values of variables in the environment, by their names. All others override them.
    pub environment: Vec<(String, OsString)>,
}

/// Values of variables that are given besides the files that Terraform loads by itself.
#[derive(Clone, Debug)]
pub enum Given {
    /// A file with values: its name and its content.
    File(String, Vec<u8>),
    /// The value of one variable.
    Value(String, String),
}
