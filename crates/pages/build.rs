//! Bundles the front ends: see README.md.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use wait_timeout::ChildExt as _;

/// The most that each command may take, and the same where a build without pages is none. They run beside the compiler.
const LIMIT: Duration = Duration::from_secs(120);
const REQUIRED_LIMIT: Duration = Duration::from_secs(600);
/// The npm workspaces of `examples` that have a page. Each `bundle` script writes `dist`.
const PAGES: [&str; 3] = ["board", "graph-runs", "shareables"];
/// What the bundlers read beside the packages themselves, from the root of the repository.
const SOURCES: [&str; 10] = [
    "schema.graphql",
    "schemas",
    "examples/package.json",
    "examples/package-lock.json",
    "examples/.npmrc",
    "examples/board",
    "examples/graph-runs",
    "examples/shareables",
    "examples/web-kit",
    "playground",
];
/// What the server reads itself, so that it is embedded as it is.
const READ: [&str; 2] = ["index.html", "persisted-documents.json"];
/// What a front-end developer's own commands leave beside the sources.
const GENERATED: [&str; 4] = ["node_modules", "dist", "gql", "e2e"];

fn main() {
    println!("cargo::rerun-if-env-changed=TRESTLE_PAGES");
    println!("cargo::rerun-if-env-changed=TRESTLE_PAGES_DIR");
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let pages = out.join("pages");
    let embedded = out.join("embedded");
    let wish = env::var("TRESTLE_PAGES").unwrap_or_default();
    // Of the run, not of the compilation: trees may share a target folder, and with it this executable.
    let crate_folder = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let root = Path::new(&crate_folder).join("../..");
    let given = env::var_os("TRESTLE_PAGES_DIR").map(|folder| root.join(folder));
    let result = remove(&pages)
        .and_then(|()| remove(&embedded))
        .map_err(|error| error.to_string());
    let result = result.and_then(|()| match given {
        Some(folder) => take(&folder, &pages),
        None if wish == "off" => Err("it was built with TRESTLE_PAGES=off".to_owned()),
        None if wish == "required" => bundle(&root, &out, REQUIRED_LIMIT),
        None => bundle(&root, &out, LIMIT),
    });
    let result = result
        .and_then(|()| embed(&pages, &embedded).map_err(|error| format!("embedding: {error}")));
    let Err(reason) = result else { return };
    // A half of the pages is worse than none, which `/` explains.
    let _ = remove(&pages);
    let _ = remove(&embedded);
    if wish == "required" {
        println!("cargo::error=The pages are required, and missing: {reason}.");
    } else if wish != "off" {
        println!("cargo::warning=The build goes on without the pages: {reason}.");
    }
    println!("cargo::rustc-env=TRESTLE_PAGES_MISSING={reason}");
}

/// Takes pages that were bundled elsewhere.
fn take(folder: &Path, pages: &Path) -> Result<(), String> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for name in PAGES.iter().chain(&["playground"]) {
        let from = folder.join(name);
        if !from.join("index.html").is_file() {
            return Err(format!("TRESTLE_PAGES_DIR has no {name}/index.html"));
        }
        copy(&from, &pages.join(name), &[]).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Bundles all pages in a copy of their sources. The packages are kept for the next time.
fn bundle(root: &Path, out: &Path, limit: Duration) -> Result<(), String> {
    let pages = out.join("pages");
    for source in SOURCES {
        watch(&root.join(source)).map_err(|error| format!("{source}: {error}"))?;
    }
    if !runs("node") || !runs("npm") {
        // Looked for again when something is installed in a folder of the PATH, or another folder joins it.
        println!("cargo::rerun-if-env-changed=PATH");
        let path = env::var_os("PATH").unwrap_or_default();
        for folder in env::split_paths(&path).filter(|folder| folder.is_dir()) {
            println!("cargo::rerun-if-changed={}", folder.display());
        }
        return Err("Node.js 20.19 or newer, with npm, is not on the PATH of the build".to_owned());
    }
    let tree = out.join("tree");
    for source in SOURCES {
        let to = tree.join(source);
        clear(&to)
            .and_then(|()| copy(&root.join(source), &to, &GENERATED))
            .map_err(|error| format!("{source}: {error}"))?;
    }
    let log = out.join("npm.log");
    let install = [
        "ci",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
    ];
    for folder in ["examples", "playground"] {
        if !is_installed(&tree.join(folder)) {
            run(&tree.join(folder), &install, &log, limit)?;
            note_installed(&tree.join(folder)).map_err(|error| error.to_string())?;
        }
    }
    let script = ["run", "--silent", "bundle"];
    run(&tree.join("playground"), &script, &log, limit)?;
    for name in PAGES {
        run(&tree.join("examples").join(name), &script, &log, limit)?;
        let dist = tree.join("examples").join(name).join("dist");
        copy(&dist, &pages.join(name), &[]).map_err(|error| format!("{name}: {error}"))?;
    }
    let dist = tree.join("playground/dist");
    copy(&dist, &pages.join("playground"), &[]).map_err(|error| format!("playground: {error}"))
}

/// Copies what the binary embeds: of each file that was compressed, only that.
fn embed(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            embed(&path, &target)?;
        } else if is_embedded(&path) {
            fs::copy(&path, target)?;
        }
    }
    Ok(())
}

fn is_embedded(path: &Path) -> bool {
    let is_compressed = path
        .extension()
        .is_some_and(|kind| kind == "br" || kind == "gz");
    let plain = if is_compressed {
        path.with_extension("")
    } else {
        path.to_owned()
    };
    if plain.file_name().is_some_and(|name| is_one_of(name, &READ)) {
        return !is_compressed;
    }
    let mut compressed = plain.into_os_string();
    compressed.push(".gz");
    is_compressed || !Path::new(&compressed).exists()
}

/// Whether the packages of a lock file are there.
fn is_installed(folder: &Path) -> bool {
    let lock = fs::read(folder.join("package-lock.json"));
    let installed = fs::read(folder.join("node_modules/installed-lock.json"));
    matches!((lock, installed), (Ok(lock), Ok(installed)) if lock == installed)
}

fn note_installed(folder: &Path) -> io::Result<()> {
    let to = folder.join("node_modules/installed-lock.json");
    fs::copy(folder.join("package-lock.json"), to).map(|_| ())
}

/// Runs npm in a folder for so long at most.
fn run(folder: &Path, arguments: &[&str], log: &Path, limit: Duration) -> Result<(), String> {
    let said = format!("npm {}", arguments.join(" "));
    let output = fs::File::create(log).map_err(|error| format!("{said}: {error}"))?;
    let errors = output
        .try_clone()
        .map_err(|error| format!("{said}: {error}"))?;
    let mut npm = Command::new(name_of("npm"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors)
        .spawn()
        .map_err(|error| format!("{said}: {error}"))?;
    let Some(status) = npm
        .wait_timeout(limit)
        .map_err(|error| format!("{said}: {error}"))?
    else {
        npm.kill()
            .and_then(|()| npm.wait())
            .map_err(|error| format!("{said}: {error}"))?;
        return Err(format!(
            "`{said}` was not done within {} s",
            limit.as_secs()
        ));
    };
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{said}` failed, see {}", log.display()))
    }
}

/// What a program of Node.js is called on this machine.
fn name_of(program: &str) -> &str {
    if cfg!(windows) && program == "npm" {
        "npm.cmd"
    } else {
        program
    }
}

fn runs(program: &str) -> bool {
    let status = Command::new(name_of(program))
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

/// Lets Cargo run this again when a file below `path` changes.
fn watch(path: &Path) -> io::Result<()> {
    if !path.is_dir() {
        println!("cargo::rerun-if-changed={}", path.display());
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if !is_one_of(&entry.file_name(), &GENERATED) {
            watch(&entry.path())?;
        }
    }
    Ok(())
}

fn is_one_of(name: &OsStr, names: &[&str]) -> bool {
    names.iter().any(|each| name == *each)
}

/// Copies a file or a folder, without the entries of these names.
fn copy(from: &Path, to: &Path, left_out: &[&str]) -> io::Result<()> {
    if !from.is_dir() {
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        return fs::copy(from, to).map(|_| ());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if !is_one_of(&entry.file_name(), left_out) {
            copy(&entry.path(), &to.join(entry.file_name()), left_out)?;
        }
    }
    Ok(())
}

/// Removes a file, or all of a folder but its installed packages.
fn clear(path: &Path) -> io::Result<()> {
    if !path.is_dir() {
        return remove(path);
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_name() != "node_modules" {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

fn remove(path: &Path) -> io::Result<()> {
    let result = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}
