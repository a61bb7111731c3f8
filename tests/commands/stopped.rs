//! Commands that a terminal stops (Ctrl-Z): others write meanwhile, and the command goes on later.

use std::fs::{self, File};
use std::process::{Child, Stdio};
use std::thread::yield_now;

use rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process};

use crate::commands::run::Folder;

const ROWS: usize = 400;
/// How often the command is stopped, at most.
const STOPS: usize = 40;

/// The state of a process, as proc_pid_stat(5) has it.
fn state(child: &Child) -> char {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let (_, rest) = stat.rsplit_once(')').unwrap();
    rest.trim_start().chars().next().unwrap()
}

/// Stops a process, unless it has ended. Before it listens to the terminal, one whose group has no parent in its session
/// ignores it, so it is told again.
fn stop(child: &Child) {
    const LOOKS: usize = 1000;
    loop {
        kill_process(Pid::from_child(child), Signal::TSTP).unwrap();
        for _ in 0..LOOKS {
            if ['T', 'Z'].contains(&state(child)) {
                return;
            }
            yield_now();
        }
    }
}

#[test]
fn a_stopped_import_keeps_nobody_from_writing() {
    let folder = Folder::new();
    let rows = (0..ROWS).map(|n| format!("Company {n},Engineer,applied\n"));
    let rows = format!("Company,Title,Status\n{}", rows.collect::<String>());
    let file = folder.file("rows.csv", &rows);
    folder.good(&["table", "create"]);
    let mut command = folder.command(&["import", &file]);
    let command = command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let process = Pid::from_child(&child);
    let store = folder.data().join("trestle.sqlite");
    let mut stops = 0;
    while stops < STOPS {
        // Until it has the store open, it stops as any process does.
        if child.try_wait().unwrap().is_some() {
            break;
        }
        let held = File::open(folder.data().join("trestle.sqlite-writes")).unwrap();
        stop(&child);
        if state(&child) == 'Z' {
            break;
        }
        held.try_lock().expect("nobody has the turn to write");
        let other = Connection::open(&store).unwrap();
        other.busy_timeout(std::time::Duration::ZERO).unwrap();
        other.execute_batch("BEGIN IMMEDIATE; ROLLBACK").unwrap();
        drop(other);
        held.unlock().unwrap();
        stops += 1;
        kill_process(process, Signal::CONT).unwrap();
    }
    // It may still have been told to stop.
    let ended = loop {
        if let Some(ended) = child.try_wait().unwrap() {
            break ended;
        }
        kill_process(process, Signal::CONT).unwrap();
        yield_now();
    };
    assert!(ended.success());
    assert!(stops > 0);
    assert_eq!(folder.exported().len(), ROWS);
}
