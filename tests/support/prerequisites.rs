//! What a test's script needs on this machine, how to get it, and what becomes of the test without it.
//! Knows no script.

#![allow(dead_code, reason = "each test target uses a part of it")]

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use libtest_mimic::{Failed, Trial};

/// Something that a test cannot run without.
#[derive(Clone, Copy, Debug)]
pub enum Need {
    /// The program itself.
    Node,
    /// The npm packages of this folder.
    Packages(&'static str),
    /// A Chromium to drive.
    Chromium,
    /// The front ends, which the build of the binary bundles.
    Pages,
    /// A program on the PATH, or where Debian installs servers.
    Program(&'static str),
}

impl Need {
    /// Whether it is there.
    pub fn is_met(self) -> bool {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        match self {
            Self::Node => Command::new("node")
                .arg("--version")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success()),
            Self::Packages(folder) => root
                .join(folder)
                .join("node_modules/.package-lock.json")
                .exists(),
            Self::Chromium => chromium().exists(),
            Self::Pages => trestle_pages::MISSING.is_none(),
            Self::Program(name) => Self::path_of(name).is_some(),
        }
    }

    /// Where a program is.
    pub fn path_of(name: &str) -> Option<PathBuf> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&path).chain(["/usr/sbin".into()]);
        folders
            .map(|folder| folder.join(name))
            .find(|program| program.is_file())
    }
}

impl fmt::Display for Need {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node => write!(formatter, "Node 20 or newer on the PATH"),
            Self::Packages(folder) => write!(formatter, "`npm ci` in {folder}"),
            Self::Chromium => write!(
                formatter,
                "Chromium: /usr/bin/chromium-headless-shell, /usr/bin/chromium or $TRESTLE_CHROMIUM"
            ),
            Self::Pages => write!(formatter, "Node 20 or newer on the PATH of the build"),
            Self::Program(name) => write!(formatter, "{name} on the PATH"),
        }
    }
}

/// One test, or its place in the report where a need is not met.
pub fn trial(
    name: &str,
    needs: &[Need],
    test: impl FnOnce() -> Result<(), Failed> + Send + 'static,
) -> Trial {
    let Some(need) = needs.iter().find(|need| !need.is_met()) else {
        let timed = name.to_owned();
        return Trial::test(name, move || {
            let begin = Instant::now();
            let result = test();
            println!("time {timed} <{:.3}s>", begin.elapsed().as_secs_f64());
            result
        });
    };
    let failure = format!("needs {need}");
    if std::env::var("CI").is_ok_and(|value| !value.is_empty() && value != "false") {
        return Trial::test(name, || Err(failure.into()));
    }
    // Asked for by `--ignored` it still cannot run, so it fails with what it needs.
    Trial::test(name, || Err(failure.into()))
        .with_kind(format!("skipped: needs {need}"))
        .with_ignored_flag(true)
}

/// The browser that scripts drive: what `TRESTLE_CHROMIUM` names, else Debian's Chromium without a window, which takes two
/// thirds of the CPU time of the whole browser, else that one.
pub fn chromium() -> PathBuf {
    const HEADLESS: &str = "/usr/bin/chromium-headless-shell";
    const WHOLE: &str = "/usr/bin/chromium";
    if let Some(given) = std::env::var_os("TRESTLE_CHROMIUM") {
        return given.into();
    }
    let headless = PathBuf::from(HEADLESS);
    if headless.exists() {
        headless
    } else {
        WHOLE.into()
    }
}
