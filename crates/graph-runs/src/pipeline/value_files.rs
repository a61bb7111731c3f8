//! Where the values of variables come from.

/// How the names of variables of the environment begin that have values. Source: "Environment Variables", the Terraform
/// documentation.
pub const ENVIRONMENT: &str = "TF_VAR_";

/// The files with values of variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueFiles {
    /// Those that count, the later ones more.
    pub used: Vec<String>,
    /// Those that do not.
    pub ignored: Vec<String>,
    /// The variables of the environment that count: `TF_VAR_region`.
    pub environment: Vec<String>,
}

impl ValueFiles {
    /// Notes that a variable has a value of the environment.
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
