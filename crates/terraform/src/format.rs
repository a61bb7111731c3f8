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

impl Format {
    /// The format of a file with this name. What has none of the names of the others is a plan.
    pub fn of_name(name: &str) -> Self {
        let formats = [
            (".tf", Format::Hcl),
            (".tf.json", Format::Json),
            (".zip", Format::Zip),
            (".tar.gz", Format::TarGz),
            (".tgz", Format::TarGz),
        ];
        let found = formats.iter().find(|(ending, _)| name.ends_with(ending));
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
