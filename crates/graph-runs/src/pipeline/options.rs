//! What decides about an analysis besides the files.

/// What decides about an analysis besides the files.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folder of the root module.
    pub root: Option<String>,
    /// Values of variables, in the order in which they are given: the last one counts.
    pub given: Vec<Given>,
    /// Values of variables by their names, as the environment has them: every other one counts more.
    pub environment: Vec<(String, String)>,
}

/// Values of variables that are given besides the files that Terraform loads by itself.
#[derive(Clone, Debug)]
pub enum Given {
    /// A file with values: its name and its content.
    File(String, Vec<u8>),
    /// The value of one variable.
    Value(String, String),
}
