//! A unit of Terragrunt.

use std::collections::BTreeMap;

use super::terraform::Configuration;
use super::value::Value;

/// A unit whose module is there.
#[derive(Debug)]
pub struct Unit {
    pub folder: String,
    /// Its module with the files that the unit adds to it; `None` if it adds none.
    pub module: Option<Configuration>,
    pub inputs: BTreeMap<String, Value>,
    /// Whether it gives no others.
    pub is_whole: bool,
}
