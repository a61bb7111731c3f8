//! The sources of the values of variables.

/// The prefix of environment variables that set variables of the root module. Source: "Environment Variables", the Terraform
/// documentation.
pub const ENVIRONMENT: &str = "TF_VAR_";

/// The environment variable that selects the workspace. Source: as that of [`ENVIRONMENT`].
pub const WORKSPACE: &str = "TF_WORKSPACE";

/// The files with values of variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueFiles {
    /// Those that are used. Later ones override earlier ones.
    pub used: Vec<String>,
    /// Those that are not.
    pub ignored: Vec<String>,
    /// The environment variables that are used: `TF_VAR_region`.
    pub environment: Vec<String>,
}

impl ValueFiles {
    /// Adds an environment variable that is used.
    pub fn note_environment(&mut self, name: &str) {
        let name = format!("{ENVIRONMENT}{name}");
        if !self.environment.contains(&name) {
            self.environment.push(name);
        }
    }
}

/// Whether a file has values of variables.
pub fn is_values(path: &str) -> bool {
    path.ends_with(".tfvars") || path.ends_with(".tfvars.json")
}
