//! The container image, built as far as a machine without Docker can: the context that `.dockerignore` leaves, each stage in an empty
//! folder with what it copies, its commands run there, and the entry point started as the image starts it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use globset::{GlobBuilder, GlobMatcher};
use libtest_mimic::Failed;
use parse_dockerfile::{
    Command as Words, CopyInstruction, Dockerfile, HealthcheckArguments, Instruction, Source,
    UnescapedString,
};
use tempfile::TempDir;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// Where the image has the binary.
const BINARY: &str = "/usr/local/bin/trestle";

/// One line of `.dockerignore`.
struct Pattern {
    matcher: GlobMatcher,
    readmits: bool,
}

/// The rules of `.dockerignore`, as https://docs.docker.com/build/concepts/context/#dockerignore-files has them: a pattern
/// that matches a path or a folder above it counts, and the last one decides.
struct Ignore(Vec<Pattern>);

impl Ignore {
    fn parse(text: &str) -> Result<Self, Failed> {
        let lines = text.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut patterns = Vec::new();
        for line in lines {
            let pattern = line.strip_prefix('!').unwrap_or(line);
            let glob = GlobBuilder::new(pattern.trim_matches('/'))
                .literal_separator(true)
                .build()?;
            patterns.push(Pattern {
                matcher: glob.compile_matcher(),
                readmits: line.starts_with('!'),
            });
        }
        Ok(Self(patterns))
    }

    fn leaves_out(&self, path: &Path) -> bool {
        let matches = |pattern: &&Pattern| {
            let mut ancestors = path.ancestors().filter(|part| *part != Path::new(""));
            ancestors.any(|part| pattern.matcher.is_match(part))
        };
        let last = self.0.iter().rev().find(matches);
        last.is_some_and(|pattern| !pattern.readmits)
    }
}

/// Copies a file, or a folder with all that `ignore` leaves. Times are kept, so that Cargo and npm see the same files.
fn copy(from: &Path, to: &Path, ignore: Option<&Ignore>) -> Result<(), Failed> {
    if from.is_dir() {
        for entry in fs::read_dir(from)? {
            let entry = entry?.path();
            let name = entry.file_name().ok_or("an entry without a name")?;
            let within = entry.strip_prefix(ROOT).unwrap_or(&entry);
            if ignore.is_some_and(|ignore| ignore.leaves_out(within)) {
                continue;
            }
            copy(&entry, &to.join(name), ignore)?;
        }
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    if from.is_symlink() {
        std::os::unix::fs::symlink(fs::read_link(from)?, to)?;
        return Ok(());
    }
    fs::copy(from, to)?;
    File::options()
        .write(true)
        .open(to)?
        .set_modified(fs::metadata(from)?.modified()?)?;
    Ok(())
}

/// A stage while it is built.
struct Stage {
    folder: PathBuf,
    /// Within the stage, absolute.
    workdir: PathBuf,
    environment: Vec<(String, String)>,
}

impl Stage {
    fn new(folder: PathBuf) -> Result<Self, Failed> {
        fs::create_dir_all(&folder)?;
        Ok(Self {
            folder,
            workdir: "/".into(),
            environment: Vec::new(),
        })
    }

    /// Where a path of the stage is on this machine.
    fn at(&self, path: &str) -> PathBuf {
        let absolute = self.workdir.join(path);
        let components = absolute.strip_prefix("/").unwrap_or(&absolute);
        self.folder.join(components)
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Result<(), Failed> {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(self.at(""))
            .envs(self.environment.iter().cloned())
            .output()?;
        if output.status.success() {
            return Ok(());
        }
        let (out, err) = (
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        Err(format!(
            "{program} {arguments:?} ended with {}: {out}{err}",
            output.status
        )
        .into())
    }
}

fn flag<'a>(options: &'a [parse_dockerfile::Flag<'_>], name: &str) -> Option<&'a str> {
    let option = options.iter().find(|option| option.name.value == name)?;
    option.value.as_ref().map(|value| value.value.as_ref())
}

/// Carries out a `COPY`. One source that is not there, or no source, fails as it does in Docker.
fn copy_into(stage: &Stage, instruction: &CopyInstruction<'_>, from: &Path) -> Result<(), Failed> {
    let target = instruction.dest.value.as_ref();
    let into_folder = target.ends_with('/') || instruction.src.len() > 1;
    for source in &instruction.src {
        let Source::Path(UnescapedString { value: source, .. }) = source else {
            return Err("a COPY of a here-document is not supported by this test".into());
        };
        let glob = GlobBuilder::new(source.trim_matches('/'))
            .literal_separator(true)
            .build()?
            .compile_matcher();
        let parent = from.join(
            Path::new(source.trim_matches('/'))
                .parent()
                .unwrap_or(Path::new("")),
        );
        let mut found = 0;
        for entry in fs::read_dir(&parent).map_err(|error| format!("COPY {source}: {error}"))? {
            let entry = entry?.path();
            if !glob.is_match(entry.strip_prefix(from)?) {
                continue;
            }
            found += 1;
            let mut to = stage.at(target);
            if entry.is_file() && into_folder {
                to = to.join(entry.file_name().ok_or("an entry without a name")?);
            }
            copy(&entry, &to, None)?;
        }
        if found == 0 {
            return Err(format!("COPY {source}: the context does not have it").into());
        }
    }
    Ok(())
}

/// Runs a command of a stage. Compiling for release takes ten minutes, so Cargo reads the manifests instead and what it compiles
/// has to be there, and what the stage does with the built binary is done with the one under test.
fn run(stage: &Stage, command: &str) -> Result<(), Failed> {
    let command = command.replace("\\\n", " ");
    if !command.contains("cargo build") {
        if command.contains(" /") {
            return Err(format!(
                "`{command}` names a path of the image, and would run on this machine"
            )
            .into());
        }
        return stage.run("sh", &["-euc", &command]);
    }
    let mut steps = command.split("&&").map(str::trim);
    if !steps.next().is_some_and(|cargo| {
        cargo.ends_with("cargo build --release --locked --features full --bin trestle")
    }) {
        return Err(format!("this test does not know what `{command}` compiles").into());
    }
    stage.run(
        "cargo",
        &[
            "metadata",
            "--locked",
            "--offline",
            "--no-deps",
            "--format-version",
            "1",
        ],
    )?;
    has_what_is_compiled(stage)?;
    let install = format!("cp target/release/trestle {BINARY}");
    if steps.next() != Some(install.as_str()) || steps.next().is_some() {
        return Err(format!("after cargo build, this test knows only `{install}`").into());
    }
    let binary = stage.at(BINARY);
    fs::create_dir_all(binary.parent().ok_or("no folder")?)?;
    fs::copy(env!("CARGO_BIN_EXE_trestle"), binary)?;
    Ok(())
}

/// Each file of the repository that the compiler read for a library of it is in the stage as it is here. Its notes are beside
/// what it wrote; the libraries of tests are no part of the binary, and tests themselves no libraries.
fn has_what_is_compiled(stage: &Stage) -> Result<(), Failed> {
    let notes = Path::new(env!("CARGO_BIN_EXE_trestle")).with_file_name("deps");
    let root = Path::new(ROOT);
    let mut compared = 0;
    for entry in fs::read_dir(notes)? {
        let entry = entry?.path();
        let name = entry.file_name().unwrap_or_default().to_string_lossy();
        let is_ours = name.starts_with("trestle") && !name.starts_with("trestle_testing");
        if !is_ours || !name.ends_with(".d") {
            continue;
        }
        let text = fs::read_to_string(&entry)?;
        let library = text.lines().find_map(|line| {
            let (written, read) = line.split_once(": ")?;
            written.ends_with(".rlib").then_some(read)
        });
        for file in library.unwrap_or_default().split_whitespace() {
            let path = root.join(file);
            // What is generated lies in the target folder, and what was deleted stays in notes of before.
            let Ok(within) = path.strip_prefix(root) else {
                continue;
            };
            let Ok(stored) = fs::read(&path) else {
                continue;
            };
            let copied = fs::read(stage.at("").join(within));
            if !copied.is_ok_and(|copied| copied == stored) {
                return Err(format!("{file} is compiled, and no COPY brings it").into());
            }
            compared += 1;
        }
    }
    if compared < 500 {
        return Err(format!("the compiler's notes name only {compared} files").into());
    }
    Ok(())
}

/// The words of a command in exec form, the only form that an image without a shell can run.
fn words(command: &Words<'_>) -> Result<Vec<String>, Failed> {
    let Words::Exec(words) = command else {
        return Err("a command in shell form, in an image without a shell".into());
    };
    Ok(words
        .value
        .iter()
        .map(|word| word.value.to_string())
        .collect())
}

/// Builds all stages in their order, and starts the last one.
pub fn builds_and_starts() -> Result<(), Failed> {
    let text = fs::read_to_string(Path::new(ROOT).join("Dockerfile"))?;
    let file = parse_dockerfile::parse(&text)?;
    let folder = TempDir::new()?;
    let context = folder.path().join("context");
    let ignore = fs::read_to_string(Path::new(ROOT).join(".dockerignore"))?;
    copy(Path::new(ROOT), &context, Some(&Ignore::parse(&ignore)?))?;
    has_no_output_or_secret(&context)?;

    let mut stages: BTreeMap<String, Stage> = BTreeMap::new();
    let mut started = false;
    for (number, part) in file.stages().enumerate() {
        let name = part.from.as_.as_ref();
        let name = name.map_or_else(|| number.to_string(), |(_, name)| name.value.to_string());
        let mut stage = Stage::new(folder.path().join("stages").join(&name))?;
        let (mut health, mut entrypoint, mut default) = (Vec::new(), Vec::new(), Vec::new());
        for instruction in part.instructions {
            match instruction {
                Instruction::Workdir(workdir) => {
                    stage.workdir = stage.workdir.join(workdir.arguments.value.as_ref());
                    fs::create_dir_all(stage.at(""))?;
                }
                Instruction::Env(env) => {
                    let (name, value) =
                        env.arguments.value.split_once('=').ok_or("ENV without =")?;
                    stage.environment.push((name.to_owned(), value.to_owned()));
                }
                Instruction::Copy(copied) => {
                    let from = match flag(&copied.options, "from") {
                        Some(name) => &stages.get(name).ok_or("COPY from an unknown stage")?.folder,
                        None => &context,
                    };
                    copy_into(&stage, copied, from)?;
                }
                Instruction::Run(command) => {
                    let Words::Shell(line) = &command.arguments else {
                        return Err("a RUN in exec form is not supported by this test".into());
                    };
                    run(&stage, line.value)?;
                }
                Instruction::Healthcheck(check) => {
                    if let HealthcheckArguments::Cmd { arguments, .. } = &check.arguments {
                        health = words(arguments)?;
                    }
                }
                Instruction::Entrypoint(command) => entrypoint = words(&command.arguments)?,
                Instruction::Cmd(command) => default = words(&command.arguments)?,
                _ => {}
            }
        }
        if !entrypoint.is_empty() {
            starts(&stage, &[entrypoint, default].concat(), &health)?;
            started = true;
        }
        stages.insert(name, stage);
    }
    if started {
        Ok(())
    } else {
        Err("no stage has an entry point".into())
    }
}

/// Neither build output nor somebody's data goes to the builder.
fn has_no_output_or_secret(folder: &Path) -> Result<(), Failed> {
    const UNWANTED: [&str; 7] = [
        "target",
        "node_modules",
        "dist",
        ".git",
        "trestle-data",
        ".env",
        "gql",
    ];
    for entry in fs::read_dir(folder)? {
        let entry = entry?.path();
        let name = entry.file_name().unwrap_or_default();
        if UNWANTED.iter().any(|unwanted| name == *unwanted) {
            return Err(format!("{} is part of the build context", entry.display()).into());
        }
        if entry.is_dir() && !entry.is_symlink() {
            has_no_output_or_secret(&entry)?;
        }
    }
    Ok(())
}

/// A program without the settings of whoever runs the tests.
fn in_image(program: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("TRESTLE_") {
            command.env_remove(name);
        }
    }
    command
}

/// Starts the image's command in its folder with its environment and a key, on a port that is free here, until its own
/// health check succeeds.
#[expect(
    clippy::disallowed_methods,
    reason = "the image is asked from outside, as Docker asks it"
)]
fn starts(stage: &Stage, command: &[String], health: &[String]) -> Result<(), Failed> {
    let [program, arguments @ ..] = command else {
        return Err("the entry point names no program".into());
    };
    let [checker, check @ ..] = health else {
        return Err("the image has no health check".into());
    };
    let keys = stage.at("/api-keys");
    let key = in_image(&stage.at(program))
        .args(["api-key", "someone"])
        .output()?;
    fs::write(&keys, key.stdout)?;
    let port = std::net::TcpListener::bind("127.0.0.1:0")?
        .local_addr()?
        .port();
    let address = format!("0.0.0.0:{port}");
    let given = stage
        .environment
        .iter()
        .any(|(name, _)| name == "TRESTLE_LISTEN");
    if !given {
        return Err("the image listens on loopback, where nobody outside reaches it".into());
    }
    let environment = [("TRESTLE_LISTEN", address.as_str())];
    let mut server = in_image(&stage.at(program))
        .args(arguments)
        .current_dir(stage.at(""))
        .envs(stage.environment.iter().cloned())
        .envs(environment)
        .env("TRESTLE_API_KEYS", &keys)
        .spawn()?;
    let deadline = Instant::now() + Duration::from_secs(60);
    let healthy = loop {
        let asked = in_image(&stage.at(checker))
            .args(check)
            .envs(environment)
            .output()?;
        if asked.status.success() {
            break true;
        }
        if server.try_wait()?.is_some() || Instant::now() > deadline {
            break false;
        }
        thread::sleep(Duration::from_millis(100));
    };
    server.kill()?;
    server.wait()?;
    let stored = stage.at("trestle-data").exists();
    match (healthy, stored) {
        (true, true) => Ok(()),
        (false, _) => Err("the image's health check never succeeded".into()),
        (true, false) => Err("the store is not in the image's volume".into()),
    }
}

/// A tag can mean other bytes tomorrow: each base image is named by its digest, too.
pub fn bases_are_pinned() -> Result<(), Failed> {
    let text = fs::read_to_string(Path::new(ROOT).join("Dockerfile"))?;
    let file: Dockerfile<'_> = parse_dockerfile::parse(&text)?;
    let arguments: BTreeMap<_, _> = file
        .global_args()
        .filter_map(|argument| argument.arguments.value.split_once('='))
        .collect();
    for stage in file.stages() {
        let mut image = stage.from.image.value.to_string();
        for (name, value) in &arguments {
            image = image.replace(&format!("${{{name}}}"), value);
        }
        if !image.contains("@sha256:") {
            return Err(format!("{image} has no digest").into());
        }
    }
    Ok(())
}
