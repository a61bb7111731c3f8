//! The build of the pages where it cannot be done: it goes on and says why, or fails where pages are required.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The build script that bundled the pages of the binary under test, or one of the same build folder.
fn script() -> PathBuf {
    let scripts = Path::new(trestle_pages::FOLDER).ancestors().nth(3).unwrap();
    let folders = std::fs::read_dir(scripts).unwrap();
    let folders = folders.map(|folder| folder.unwrap().path());
    let mut scripts = folders.filter(|folder| {
        let name = folder.file_name().unwrap().to_string_lossy();
        name.starts_with("trestle-pages-") && folder.join("build-script-build").exists()
    });
    scripts.next().unwrap().join("build-script-build")
}

/// What it tells Cargo on a machine without Node, with these variables.
fn told(variables: &[(&str, &str)]) -> String {
    let out = tempfile::tempdir().unwrap();
    let output = Command::new(script())
        .env_clear()
        .envs([("OUT_DIR", out.path()), ("PATH", out.path())])
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(!out.path().join("pages").exists());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_build_without_node_goes_on_and_says_what_is_missing() {
    let missing = "cargo::rustc-env=TRESTLE_PAGES_MISSING=Node.js 20.19 or newer";
    let plain = told(&[]);
    assert!(plain.contains(missing), "{plain}");
    let warnings = plain.matches("cargo::warning=").count();
    assert_eq!((warnings, plain.contains("cargo::error")), (1, false));
    // When Node is installed, the next build looks again.
    assert!(plain.contains("cargo::rerun-if-env-changed=PATH"));
    let off = told(&[("TRESTLE_PAGES", "off")]);
    assert!(
        off.contains("TRESTLE_PAGES_MISSING=it was built with"),
        "{off}"
    );
    assert!(!off.contains("cargo::warning="), "{off}");
    let required = told(&[("TRESTLE_PAGES", "required")]);
    assert!(required.contains("cargo::error="), "{required}");
    let empty = told(&[("TRESTLE_PAGES_DIR", "docs")]);
    assert!(empty.contains("has no board/index.html"), "{empty}");
}
