//! Backups over the standard streams, and restores into folders that are there, as a container has them.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::process::Stdio;

use crate::commands::run::{Ended, Folder};

const FILE: &str = "artifacts/files/graphs/dev/ann/run/1-abc.json";

/// A store with applications, and a file beside it.
fn filled() -> Folder {
    let folder = Folder::new();
    let rows = (0..50).map(|n| format!("Company {n},Engineer,applied\n"));
    let rows = format!("Company,Title,Status\n{}", rows.collect::<String>());
    folder.good(&["import", &folder.file("rows.csv", &rows)]);
    let path = folder.data().join(FILE);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, vec![b'x'; 1 << 20]).unwrap();
    folder
}

/// The archive that a command writes to the standard output.
fn streamed(folder: &Folder) -> Vec<u8> {
    streamed_by(folder, &["--to", "-"])
}

fn streamed_by(folder: &Folder, arguments: &[&str]) -> Vec<u8> {
    let mut command = folder.command(&[&["store", "backup"], arguments].concat());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let reported = String::from_utf8(output.stderr).unwrap();
    assert_eq!(reported, "Wrote the store and 1 other files.\n");
    output.stdout
}

/// Restores from the standard input into a folder beside the store.
fn restored(folder: &Folder, archive: &[u8], to: &str) -> Ended {
    restored_by(folder, &["--from", "-", "--data", to], archive)
}

fn restored_by(folder: &Folder, arguments: &[&str], archive: &[u8]) -> Ended {
    let mut command = folder.command(&[&["store", "restore"], arguments].concat());
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // Who refuses an archive may not read all of it.
    let _ = input.write_all(archive);
    drop(input);
    let output = child.wait_with_output().unwrap();
    Ended {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// What a folder that was restored has, besides the store.
fn is_restored(folder: &Folder, to: &str) {
    let exported = folder.good(&["export", "--data", to]).out;
    assert_eq!(exported, folder.good(&["export"]).out, "{to}");
    let file = fs::read(folder.path(to).join(FILE)).unwrap();
    assert!(file == fs::read(folder.data().join(FILE)).unwrap(), "{to}");
    let names = fs::read_dir(folder.path(to)).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let hidden: Vec<_> = names.filter(|name| name.starts_with('.')).collect();
    assert!(hidden.is_empty(), "{to}: {hidden:?}");
}

#[test]
fn a_backup_goes_through_a_pipe_into_another_folder() {
    let folder = filled();
    let mut backup = folder.command(&["store", "backup", "--to", "-"]);
    let mut backup = backup.stdout(Stdio::piped()).spawn().unwrap();
    let mut restore = folder.command(&["store", "restore", "--from", "-", "--data", "piped"]);
    let restore = restore.stdin(backup.stdout.take().unwrap());
    let output = restore.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(backup.wait().unwrap().success());
    is_restored(&folder, "piped");
    assert_eq!(folder.names(), ["data", "piped", "rows.csv"]);
}

#[test]
fn a_streamed_backup_is_an_archive_as_a_file_is_one() {
    let folder = filled();
    let archive = streamed(&folder);
    fs::write(folder.path("streamed.tar"), &archive).unwrap();
    folder.good(&["store", "restore", "streamed.tar", "--data", "from-file"]);
    is_restored(&folder, "from-file");
    folder.good(&["store", "backup", "file.tar"]);
    let mut file = Vec::new();
    let mut opened = File::open(folder.path("file.tar")).unwrap();
    opened.read_to_end(&mut file).unwrap();
    let ended = restored(&folder, &file, "from-input");
    assert_eq!(ended.code, 0, "{ended:?}");
    is_restored(&folder, "from-input");
}

/// Cut anywhere, with a byte changed anywhere, and what is no archive.
#[test]
fn a_damaged_stream_restores_nothing() {
    let folder = filled();
    let archive = streamed(&folder);
    let mut inputs = vec![Vec::new(), b"no archive".to_vec()];
    inputs.push(fs::read(folder.data().join("trestle.sqlite")).unwrap());
    for part in 0..16 {
        let at = archive.len() * part / 16;
        inputs.push(archive[..at].to_vec());
        let mut changed = archive.clone();
        // The end of a tar file is zeros, which a restore reads to the last byte and needs not.
        changed[at] ^= 1;
        inputs.push(changed);
    }
    fs::create_dir(folder.path("empty")).unwrap();
    for (at, input) in inputs.iter().enumerate() {
        for to in ["new", "empty"] {
            let ended = restored(&folder, input, to);
            assert_ne!(ended.code, 0, "{at} into {to}: {ended:?}");
            assert!(
                ended.err.contains("was not restored")
                    || ended.err.contains("is the file of a store"),
                "{ended:?}"
            );
        }
        assert!(!folder.path("new").exists(), "{at}");
        assert_eq!(
            fs::read_dir(folder.path("empty")).unwrap().count(),
            0,
            "{at}"
        );
    }
}

/// A volume that is mounted cannot be replaced by another folder, and some have a folder of their own.
#[test]
fn an_empty_folder_is_filled_and_not_replaced() {
    let folder = filled();
    folder.good(&["store", "backup", "backup.tar"]);
    for (to, left) in [
        ("empty", vec![]),
        ("volume", vec!["lost+found/"]),
        (
            "interrupted",
            vec![".trestle-restoring/trestle.sqlite", "artifacts/files/half"],
        ),
        ("begun", vec![".trestle-restoring/artifacts/files/half"]),
    ] {
        fs::create_dir(folder.path(to)).unwrap();
        for name in left {
            let path = folder.path(to).join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            if name.ends_with('/') {
                fs::create_dir_all(&path).unwrap();
            } else {
                fs::write(&path, "x").unwrap();
            }
        }
        let before = folder.path(to).metadata().unwrap().ino();
        folder.good(&["store", "restore", "backup.tar", "--data", to]);
        assert_eq!(folder.path(to).metadata().unwrap().ino(), before, "{to}");
        is_restored(&folder, to);
        assert!(!folder.path(to).join("artifacts/files/half").exists());
    }
    // A backup passes over what belongs to the volume.
    let volume = ["store", "backup", "again.tar", "--data", "volume"];
    assert!(folder.good(&volume).out.contains("and 1 other files"));
    for there in ["trestle.sqlite", "notes.txt"] {
        let to = format!("with-{there}");
        fs::create_dir_all(folder.path(&to).join(".trestle-restoring")).unwrap();
        fs::write(folder.path(&to).join(there), "x").unwrap();
        if there != "trestle.sqlite" {
            fs::remove_dir(folder.path(&to).join(".trestle-restoring")).unwrap();
        }
        let ended = folder.run(&["store", "restore", "backup.tar", "--data", &to]);
        assert!(ended.sentence().contains("is not empty"), "{ended:?}");
        assert_eq!(fs::read(folder.path(&to).join(there)).unwrap(), b"x");
    }
}

/// Without an option, a dash names no file either.
#[test]
fn a_dash_is_a_standard_stream() {
    let folder = filled();
    let archive = streamed_by(&folder, &["-"]);
    assert!(!folder.path("-").exists());
    let ended = restored_by(&folder, &["-", "--data", "dashed"], &archive);
    assert_eq!(ended.code, 0, "{ended:?}");
    is_restored(&folder, "dashed");
}
