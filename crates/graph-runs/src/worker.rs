//! A process of its own for each file: `trestle graph-worker`, with limits on its memory, its processor time and what it
//! answers. What a hostile file does to it, it does to nobody else.
//!
//! The file arrives on its standard input. Its answer on standard output is one line, `made <bytes of the graph> <bytes
//! of the report>` followed by both, or `unusable <reason as JSON>`.

use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use bytes::Bytes;
use clap::{Arg, ArgMatches, Command, value_parser};
use object_store::WriteMultipart;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process;

use trestle_files::FilesError;
use trestle_service::{Failure, Tool};
use trestle_terraform::{HashKey, Options};

use super::arguments::WorkerLimits;
use super::error::StoreError;
use super::model::IacFormat;

/// The name of the command.
const NAME: &str = "graph-worker";
/// The environment variable with the key of the hashes of values.
const KEY: &str = "TRESTLE_GRAPH_WORKER_KEY";
/// How many parts of a result may be on their way to the store.
const PARTS: usize = 2;
/// The longest line that announces a result.
const MAX_LINE: u64 = 64 * 1024;

/// How a process ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Ended {
    /// Its results are written.
    Made,
    /// Nothing can be made of the file: the reason, for whoever wrote it.
    Unusable(String),
    /// Someone else ended the process: another one may succeed.
    Killed,
    /// It was asked to end, as all processes of a server that stops are: the file has nothing to do with it.
    Stopped,
}

/// The command, for the registry.
pub const TOOL: Tool = Tool { command, run: work };

fn command() -> Command {
    let number = |name: &'static str| {
        Arg::new(name)
            .long(name)
            .required(true)
            .value_parser(value_parser!(u64))
    };
    Command::new(NAME)
        .hide(true)
        .about("Analyze one file from standard input; started by the server")
        .arg(Arg::new("format").long("format").required(true))
        .arg(Arg::new("root").long("root"))
        .arg(Arg::new("workspace").long("workspace"))
        .arg(number("memory"))
        .arg(number("cpu"))
}

/// Analyzes the file on standard input.
fn work(arguments: &ArgMatches) -> Result<ExitCode, Failure> {
    let number = |name: &str| arguments.get_one::<u64>(name).copied().unwrap_or_default();
    limit(number("memory"), number("cpu"))?;
    let format = arguments.get_one::<String>("format");
    let format = format.and_then(|word| IacFormat::from_word(word));
    let format = format.ok_or_else(|| Failure::new("There is no such format."))?;
    // Under another key, every value would look changed.
    let key = std::env::var(KEY).ok();
    let key = key.and_then(|text| HashKey::parse(&text));
    let mut file = Vec::new();
    io::stdin().lock().read_to_end(&mut file)?;
    let mut out = io::stdout().lock();
    let options = Options {
        root: arguments.get_one::<String>("root").cloned(),
        workspace: arguments.get_one::<String>("workspace").cloned(),
        hash_key: key.ok_or_else(|| Failure::new(format!("{KEY} has no key.")))?,
        ..Options::default()
    };
    match trestle_terraform::run(&file, format.into(), &options) {
        Ok(made) => {
            writeln!(out, "made {} {}", made.graph.len(), made.report.len())?;
            out.write_all(&made.graph)?;
            out.write_all(&made.report)?;
        }
        Err(unusable) => {
            let reason: String = unusable.0.chars().take(1000).collect();
            writeln!(out, "unusable {}", serde_json::to_string(&reason)?)?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Limits what this process may use.
#[cfg(unix)]
fn limit(memory: u64, cpu: u64) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let most = |most: u64| Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    setrlimit(Resource::Core, most(0))?;
    // The first limit ends the process with a signal of its own, which tells it from one that was killed.
    let cpu = Rlimit {
        current: Some(cpu),
        maximum: Some(cpu.saturating_add(2)),
    };
    setrlimit(Resource::Cpu, cpu)?;
    // Systems without this limit keep the others.
    let _ = setrlimit(Resource::As, most(memory));
    Ok(())
}

#[cfg(not(unix))]
fn limit(_: u64, _: u64) -> io::Result<()> {
    Ok(())
}

/// What decides about an analysis besides the file.
#[derive(Debug)]
pub struct Task<'t> {
    /// The format of the file.
    pub format: IacFormat,
    /// The folder of the root module.
    pub root: Option<&'t str>,
    /// The workspace.
    pub workspace: Option<&'t str>,
    /// The key of the hashes of values.
    pub key: &'t HashKey,
}

/// Has a file analyzed, and writes the graph and the report as they arrive. The process ends with this future.
///
/// # Errors
/// The process cannot be started, or the object store fails.
pub async fn run(
    limits: &WorkerLimits,
    max: u64,
    task: &Task<'_>,
    file: Bytes,
    results: [&mut WriteMultipart; 2],
) -> Result<Ended, StoreError> {
    let failed = |error: io::Error| StoreError::Worker(error.to_string());
    let program = match &limits.program {
        Some(program) => program.clone(),
        None => this_program().map_err(failed)?,
    };
    let mut child = process::Command::new(program)
        .arg(NAME)
        .args(["--format", task.format.word()])
        .args(task.root.map(|root| format!("--root={root}")))
        .args(
            task.workspace
                .map(|workspace| format!("--workspace={workspace}")),
        )
        .args(["--memory", &limits.memory.to_string()])
        .args(["--cpu", &limits.cpu.as_secs().max(1).to_string()])
        .env_clear()
        // Not an argument, which every user of the machine can read.
        .env(KEY, task.key.text())
        // The allocator would reserve more address space at once than the worker may have.
        .env("MIMALLOC_ARENA_RESERVE", "64MiB")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(failed)?;
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(StoreError::Worker("it has no pipes".to_owned()));
    };
    let sent = async move {
        // A process that ends early reads no more of it, and says why itself.
        let _ = input.write_all(&file).await;
        let _ = input.shutdown().await;
    };
    let mut output = BufReader::with_capacity(64 * 1024, output);
    let answered = async { tokio::join!(sent, receive(&mut output, max, results)).1 };
    // Processor time is limited by the system; this is for one that waits without using any.
    let patience = limits.cpu * 4 + Duration::from_secs(30);
    let answered = match tokio::time::timeout(patience, answered).await {
        Ok(answered) => answered?,
        Err(_) => Some(Ended::Unusable(slow(limits))),
    };
    if let Some(ended) = answered {
        return Ok(ended);
    }
    let status = child.wait().await.map_err(failed)?;
    Ok(died(limits, &status))
}

/// The program that runs here. Its file may have been replaced by another version since, which may make other graphs than
/// those that this server makes: where the system can, it is started by what runs and not by its name.
fn this_program() -> io::Result<PathBuf> {
    let running = PathBuf::from("/proc/self/exe");
    if running.exists() {
        Ok(running)
    } else {
        std::env::current_exe()
    }
}

/// The answer; `None` if the process ended without a whole one.
async fn receive(
    output: &mut BufReader<process::ChildStdout>,
    max: u64,
    results: [&mut WriteMultipart; 2],
) -> Result<Option<Ended>, StoreError> {
    let mut line = String::new();
    let read = (&mut *output).take(MAX_LINE).read_line(&mut line).await;
    if read.is_err() || !line.ends_with('\n') {
        return Ok(None);
    }
    match line.trim_end().split_once(' ') {
        Some(("unusable", reason)) => Ok(serde_json::from_str(reason).ok().map(Ended::Unusable)),
        Some(("made", sizes)) => {
            let mut sizes = sizes.split(' ').map(str::parse::<u64>);
            for result in results {
                let Some(Ok(size)) = sizes.next() else {
                    return Ok(None);
                };
                if size > max {
                    let reason = format!(
                        "The result has {size} bytes; the limit is {max} bytes. Split the configuration."
                    );
                    return Ok(Some(Ended::Unusable(reason)));
                }
                if !copy(output, size, result).await? {
                    return Ok(None);
                }
            }
            Ok(Some(Ended::Made))
        }
        _ => Ok(None),
    }
}

/// Copies so many bytes; `false` if the process ended before.
async fn copy(
    output: &mut BufReader<process::ChildStdout>,
    mut left: u64,
    result: &mut WriteMultipart,
) -> Result<bool, StoreError> {
    while left > 0 {
        let Ok(piece) = output.fill_buf().await else {
            return Ok(false);
        };
        if piece.is_empty() {
            return Ok(false);
        }
        let taken = piece.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let piece = Bytes::copy_from_slice(piece.get(..taken).unwrap_or_default());
        result
            .wait_for_capacity(PARTS)
            .await
            .map_err(FilesError::from)?;
        result.put(piece);
        output.consume(taken);
        left -= taken as u64;
    }
    Ok(true)
}

fn slow(limits: &WorkerLimits) -> String {
    format!(
        "Analyzing the file takes more than {} s of processor time. Split the configuration.",
        limits.cpu.as_secs()
    )
}

/// Why a process ended without an answer.
#[cfg(unix)]
fn died(limits: &WorkerLimits, status: &std::process::ExitStatus) -> Ended {
    use rustix::process::Signal;
    use std::os::unix::process::ExitStatusExt as _;
    let signal = status.signal().and_then(Signal::from_named_raw);
    let reason = match signal {
        Some(Signal::XCPU) => slow(limits),
        // An allocation beyond the limit aborts.
        Some(Signal::ABORT) => {
            let megabytes = limits.memory / (1024 * 1024);
            format!(
                "Analyzing the file takes more than {megabytes} MiB of memory. Split the configuration."
            )
        }
        Some(Signal::SEGV | Signal::BUS | Signal::ILL) => {
            "The file is too deeply nested to be analyzed.".to_owned()
        }
        Some(Signal::TERM | Signal::INT | Signal::HUP) => return Ended::Stopped,
        Some(_) => return Ended::Killed,
        None => "The file could not be analyzed.".to_owned(),
    };
    Ended::Unusable(reason)
}

/// Why a process ended without an answer.
#[cfg(not(unix))]
fn died(_: &WorkerLimits, _: &std::process::ExitStatus) -> Ended {
    Ended::Unusable("The file could not be analyzed.".to_owned())
}
