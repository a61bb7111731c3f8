//! What the scripts need on this machine, and how to get it. Knows no script.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Something that the tests cannot run without.
#[derive(Clone, Copy, Debug)]
pub enum Need {
    /// The program itself.
    Node,
    /// The npm packages of the board.
    Packages,
    /// A Chromium to drive.
    Chromium,
    /// The board, built.
    Board,
}

impl Need {
    /// What each script needs.
    pub const ALL: [Self; 4] = [Self::Node, Self::Packages, Self::Chromium, Self::Board];

    /// Whether it is there.
    pub fn is_met(self) -> bool {
        match self {
            Self::Node => Command::new("node")
                .arg("--version")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success()),
            Self::Packages => from_board("node_modules/.package-lock.json").exists(),
            Self::Chromium => chromium().exists(),
            Self::Board => from_board("dist/index.html").exists(),
        }
    }
}

impl fmt::Display for Need {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Node => "Node 20 or newer on the PATH",
            Self::Packages => "`npm ci` in examples/board",
            Self::Chromium => "Chromium: /usr/bin/chromium or $TRESTLE_CHROMIUM",
            Self::Board => "`npm run build` in examples/board",
        })
    }
}

/// A file of the board.
fn from_board(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("examples/board")
        .join(path)
}

fn chromium() -> PathBuf {
    std::env::var_os("TRESTLE_CHROMIUM")
        .unwrap_or_else(|| "/usr/bin/chromium".into())
        .into()
}
