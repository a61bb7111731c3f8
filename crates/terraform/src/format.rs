//! The format of a file.

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A file in Terraform's own syntax: `main.tf`.
    Hcl,
    /// A file in Terraform's JSON syntax: `main.tf.json`.
    Json,
    /// A whole module in a zip archive.
    Zip,
    /// A whole module in a gzipped tar archive.
    TarGz,
    /// A plan, as `terraform show -json` prints it.
    Plan,
}

/// The endings of files of a configuration. Source: "Files and Directories", the OpenTofu documentation.
const CONFIGURATIONS: [(&str, Format); 4] = [
    (".tf", Format::Hcl),
    (".tf.json", Format::Json),
    (".tofu", Format::Hcl),
    (".tofu.json", Format::Json),
];
/// The endings of archives.
const ARCHIVES: [(&str, Format); 3] = [
    (".zip", Format::Zip),
    (".tar.gz", Format::TarGz),
    (".tgz", Format::TarGz),
];

/// Whether a file is one of a configuration by its name.
pub fn is_configuration(name: &str) -> bool {
    stem(name).is_some()
}

/// The name of a file of a configuration without its ending.
pub fn stem(name: &str) -> Option<&str> {
    let mut endings = CONFIGURATIONS.iter().map(|(ending, _)| ending);
    endings.find_map(|ending| name.strip_suffix(ending))
}

/// The file of OpenTofu that counts in the place of a file of Terraform.
pub fn of_tofu(name: &str) -> Option<String> {
    let (stem, ending) = match name.strip_suffix(".tf.json") {
        Some(stem) => (stem, ".tofu.json"),
        None => (name.strip_suffix(".tf")?, ".tofu"),
    };
    Some(format!("{stem}{ending}"))
}

impl Format {
    /// The format of a file with this name. What has none of the names of the others is a plan.
    pub fn of_name(name: &str) -> Self {
        let mut formats = CONFIGURATIONS.iter().chain(&ARCHIVES);
        let found = formats.find(|(ending, _)| name.ends_with(ending));
        found.map_or(Format::Plan, |(_, format)| *format)
    }

    /// The name of a file of this format if it has no name of its own.
    pub fn file_name(self) -> &'static str {
        match self {
            Format::Hcl => "main.tf",
            Format::Json => "main.tf.json",
            Format::Zip => "module.zip",
            Format::TarGz => "module.tar.gz",
            Format::Plan => "plan.json",
        }
    }
}
