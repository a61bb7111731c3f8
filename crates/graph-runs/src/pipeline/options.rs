//! What decides about an analysis besides the files.

/// What decides about an analysis besides the files.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folder of the root module.
    pub root: Option<String>,
    /// Files with values of variables, in their order: the name and the content.
    pub var_files: Vec<(String, Vec<u8>)>,
    /// Values of variables.
    pub vars: Vec<(String, String)>,
}
