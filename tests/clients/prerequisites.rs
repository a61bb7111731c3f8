//! What the scripts need on this machine, and how to get it. Knows no script.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Something that a test cannot run without.
#[derive(Clone, Copy, Debug)]
pub enum Need {
    /// The program itself.
    Node,
    /// The npm packages of `tests/node`.
    Packages,
    /// A Chromium that the playground's test can drive.
    Chromium,
    /// The playground, built before the binary was.
    Playground,
}

impl Need {
    /// For every script.
    pub const NODE: [Self; 2] = [Self::Node, Self::Packages];
    /// For a script that drives a browser.
    pub const BROWSER: [Self; 3] = [Self::Node, Self::Packages, Self::Chromium];
    /// For the bundled playground in a browser.
    pub const BUNDLE: [Self; 4] = [Self::Node, Self::Packages, Self::Chromium, Self::Playground];

    /// Whether it is there.
    pub fn is_met(self) -> bool {
        match self {
            Self::Node => Command::new("node")
                .arg("--version")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success()),
            Self::Packages => from_root("tests/node/node_modules/.package-lock.json").exists(),
            Self::Chromium => chromium().exists(),
            Self::Playground => from_root("playground/dist/index.html").exists(),
        }
    }
}

impl fmt::Display for Need {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Node => "Node 20 or newer on the PATH",
            Self::Packages => "`npm ci` in tests/node",
            Self::Chromium => "Chromium: /usr/bin/chromium or $TRESTLE_CHROMIUM",
            Self::Playground => "`npm ci && npm run build` in playground",
        })
    }
}

fn from_root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn chromium() -> PathBuf {
    std::env::var_os("TRESTLE_CHROMIUM")
        .unwrap_or_else(|| "/usr/bin/chromium".into())
        .into()
}
