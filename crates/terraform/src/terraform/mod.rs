//! Terraform's two syntaxes, read into one form.
//! Source: "Configuration Syntax" and "JSON Configuration Syntax", the Terraform language documentation.

mod chains;
mod declared;
mod duplicates;
mod hcl;
mod ignores;
mod json;
mod large;
mod lines;
mod members;
mod parts;

pub use declared::{Block, Body, Configuration, Dynamic, Kind};
pub use hcl::{read_body, read_hcl, read_values};
pub use ignores::Ignore;
pub use json::{read_json, read_json_values};
