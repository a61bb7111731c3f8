//! The Terraform files of a revision of a Git repository.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::archive::{Files, MAX_BYTES};
use crate::folder::{MAX_FILES, named_outside};
use crate::module::Modules;
use crate::names::{self, is_hidden, is_terraform};
use crate::text::Gap;
use crate::texts::{self, Texts, is_text};
use crate::{Options, Unusable};

/// How many links may lead to each other.
const MAX_LINKS: usize = 16;

#[derive(Clone)]
struct Listed {
    path: String,
    object: String,
    bytes: u64,
    /// Whether its content is a path.
    is_link: bool,
}

/// The modules below a folder in a revision, and those elsewhere in the repository that they call.
///
/// # Errors
/// There is no such revision, or it has too many or too large files, or one that is not Terraform.
pub fn modules(folder: &Path, revision: &str, options: &Options) -> Result<Modules, Unusable> {
    let mut reader = Reader::of(folder, revision)?;
    loop {
        reader.read()?;
        let mut modules = Modules::declared(&reader.files, options);
        reader.follow_texts();
        if !reader.follow(modules.missing()) {
            modules.decide(&reader.files, options)?;
            return Ok(modules);
        }
    }
}

/// Reads the Terraform files of a revision, with the files that these may read.
struct Reader<'p> {
    folder: &'p Path,
    revision: &'p str,
    /// Those that are read next.
    next: Vec<Listed>,
    /// The files that are not below the folder, by their own folders.
    outside: BTreeMap<String, Vec<Listed>>,
    /// All files of the revision, by their paths.
    all: BTreeMap<String, Listed>,
    files: Files,
    texts: Texts,
    count: usize,
    bytes: u64,
}

impl<'p> Reader<'p> {
    /// Begins with the files below a folder.
    fn of(folder: &'p Path, revision: &'p str) -> Result<Self, Unusable> {
        let mut reader = Self {
            folder,
            revision,
            next: Vec::new(),
            outside: BTreeMap::new(),
            all: BTreeMap::new(),
            files: Files::new(),
            texts: Texts::default(),
            count: 0,
            bytes: 0,
        };
        for file in listed(folder, &commit(folder, revision)?)? {
            reader.all.insert(file.path.clone(), file.clone());
            if is_hidden(&file.path) {
                continue;
            }
            if file.path.starts_with("../") {
                let own = names::folder(&file.path).to_owned();
                reader.outside.entry(own).or_default().push(file);
            } else {
                reader.next.push(file);
            }
        }
        Ok(reader)
    }

    /// Reads the files that are next.
    fn read(&mut self) -> Result<(), Unusable> {
        let (mut configuration, mut texts) = (Vec::new(), Vec::new());
        for file in self.next.drain(..) {
            if is_terraform(&file.path) {
                self.bytes += file.bytes;
                configuration.push(file);
            } else if is_text(&file.path) && file.bytes <= texts::MAX_BYTES && !file.is_link {
                texts.push(file);
            }
        }
        self.count += configuration.len();
        if self.count > MAX_FILES || self.bytes > MAX_BYTES {
            return Err(Unusable(format!(
                "The Terraform files of {} are more than {MAX_FILES}, or have more than {MAX_BYTES} bytes.",
                self.revision
            )));
        }
        let read = contents(self.folder, &configuration)?;
        for (file, content) in configuration.iter().zip(read) {
            let content = if file.is_link {
                self.followed(&file.path, content)?
            } else {
                content
            };
            self.files.insert(file.path.clone(), content);
        }
        for (file, content) in texts.iter().zip(contents(self.folder, &texts)?) {
            if self.texts.has_room() {
                // The text of a file that cannot be read is not known.
                let _ = self.texts.add(&file.path, Cursor::new(content));
            }
        }
        self.files.extend(self.texts.take());
        Ok(())
    }

    /// What a link leads to in the revision.
    fn followed(&self, link: &str, to: Vec<u8>) -> Result<Vec<u8>, Unusable> {
        let (mut at, mut to) = (link.to_owned(), to);
        for _ in 0..MAX_LINKS {
            let named = String::from_utf8(to).unwrap_or_default();
            if named.starts_with('/') {
                break;
            }
            at = names::path(names::folder(&at), &format!("./{named}")).unwrap_or_default();
            let Some(next) = self.all.get(&at) else {
                break;
            };
            let content = contents(self.folder, std::slice::from_ref(next))?;
            to = content.into_iter().flatten().collect();
            if !next.is_link {
                return Ok(to);
            }
        }
        Ok(Gap::LinkOut.mark())
    }

    /// Goes on with texts elsewhere that the configuration names.
    fn follow_texts(&mut self) {
        let named = named_outside(&self.files);
        for folder in named {
            if let Some(files) = self.outside.get_mut(&folder) {
                self.next
                    .extend(files.extract_if(.., |file| is_text(&file.path)));
            }
        }
    }

    /// Goes on with folders elsewhere that modules call, as in a folder of this machine; false if there are none.
    fn follow(&mut self, called: BTreeSet<String>) -> bool {
        for folder in called {
            self.next
                .extend(self.outside.remove(&folder).unwrap_or_default());
        }
        !self.next.is_empty()
    }
}

/// The id of the commit that a revision names.
fn commit(folder: &Path, revision: &str) -> Result<String, Unusable> {
    // One that begins with a dash would be an option.
    let named = format!("{revision}^{{commit}}");
    let output = if revision.starts_with('-') {
        None
    } else {
        Some(git(
            folder,
            &["rev-parse", "--quiet", "--verify", &named],
            &[],
        )?)
    };
    match output.filter(|output| output.status.success()) {
        Some(output) => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        None => Err(Unusable(format!(
            "{revision} is neither a path nor a revision of the Git repository of the current folder."
        ))),
    }
}

/// The regular files and the links of a commit, by their paths from a folder.
fn listed(folder: &Path, commit: &str) -> Result<Vec<Listed>, Unusable> {
    let prefix = git(folder, &["rev-parse", "--show-prefix"], &[])?.stdout;
    let prefix = String::from_utf8_lossy(&prefix)
        .trim_end_matches('\n')
        .to_owned();
    let whole = ["ls-tree", "-r", "-l", "-z", "--full-tree", commit];
    let output = git(folder, &whole, &[])?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // `100644 blob OBJECT BYTES<tab>PATH`
    let listed = text.split('\0').filter_map(|line| {
        let (entry, path) = line.split_once('\t')?;
        let mut parts = entry.split_whitespace();
        let (mode, _, object) = (parts.next()?, parts.next()?, parts.next()?);
        let bytes = parts.next()?.parse().ok()?;
        let is_link = mode == "120000";
        // Submodules have another mode.
        (mode.starts_with("100") || is_link).then(|| Listed {
            path: relative(&prefix, path),
            object: object.to_owned(),
            bytes,
            is_link,
        })
    });
    Ok(listed.collect())
}

/// A path of a repository from a folder of it, both from the top: `../../modules/net/main.tf`. That of the folder ends with `/`.
fn relative(folder: &str, path: &str) -> String {
    let (mut from, mut to) = (folder, path);
    while let (Some((one, after)), Some((other, rest))) = (from.split_once('/'), to.split_once('/'))
        && one == other
    {
        (from, to) = (after, rest);
    }
    "../".repeat(from.matches('/').count()) + to
}

/// The contents of files, in their order.
fn contents(folder: &Path, files: &[Listed]) -> Result<Vec<Vec<u8>>, Unusable> {
    let mut asked = Vec::new();
    for file in files {
        writeln!(asked, "{}", file.object).map_err(|error| failed(&error.to_string()))?;
    }
    let output = git(folder, &["cat-file", "--batch"], &asked)?;
    let mut rest = output.stdout.as_slice();
    let mut contents = Vec::new();
    for file in files {
        // `OBJECT blob BYTES`, a line feed, the content, a line feed.
        let start = rest.iter().position(|byte| *byte == b'\n');
        let start = start.ok_or_else(|| failed("an object is missing"))? + 1;
        let end = start + usize::try_from(file.bytes).unwrap_or(usize::MAX);
        let content = rest.get(start..end);
        contents.push(
            content
                .ok_or_else(|| failed("an object is missing"))?
                .to_vec(),
        );
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    Ok(contents)
}

/// Runs Git in a folder with its arguments and what it reads.
fn git(folder: &Path, arguments: &[&str], input: &[u8]) -> Result<Output, Unusable> {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .args(arguments)
        .stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .map_err(|error| failed(&error.to_string()))?;
    let stdin = child.stdin.take();
    // It writes while it reads: one after the other would block with more than a pipe holds.
    let output = std::thread::scope(|scope| {
        scope.spawn(move || {
            // It may end before it has read everything, which its status says.
            let _ = stdin.map(|mut stdin| stdin.write_all(input));
        });
        child.wait_with_output()
    });
    output.map_err(|error| failed(&error.to_string()))
}

fn failed(reason: &str) -> Unusable {
    Unusable(format!("Git cannot be asked: {reason}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files below a folder in a revision.
    fn files(folder: &Path, revision: &str) -> Result<Files, Unusable> {
        let mut reader = Reader::of(folder, revision)?;
        reader.read()?;
        Ok(reader.files)
    }

    fn run(folder: &Path, arguments: &[&str]) {
        let user = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
        let output = git(folder, &[&user, arguments].concat(), &[]).unwrap();
        assert!(output.status.success(), "{output:?}");
    }

    #[test]
    fn a_revision_has_the_files_of_its_commit() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        run(folder.path(), &["init", "--quiet"]);
        std::fs::create_dir_all(at("net")).unwrap();
        for (name, text) in [
            ("main.tf", "one"),
            ("net/main.tf", &"two\n".repeat(100_000)),
            ("net/policy.json", "{}"),
            ("notes.md", "none"),
            // What an archive of Git leaves out is analyzed nevertheless.
            (".gitattributes", "net export-ignore"),
        ] {
            std::fs::write(at(name), text).unwrap();
        }
        run(folder.path(), &["add", "."]);
        run(folder.path(), &["commit", "--quiet", "-m", "first"]);
        run(folder.path(), &["tag", "first"]);
        std::fs::write(at("main.tf"), "later").unwrap();
        run(folder.path(), &["commit", "--quiet", "-am", "second"]);
        let first = files(folder.path(), "first").unwrap();
        assert_eq!(first["main.tf"], b"one");
        assert_eq!(first["net/main.tf"].len(), 400_000);
        let names: Vec<_> = first.keys().map(String::as_str).collect();
        assert_eq!(names, ["main.tf", "net/main.tf", "net/policy.json"]);
        assert_eq!(files(folder.path(), "HEAD").unwrap()["main.tf"], b"later");
        let below = files(&at("net"), "first").unwrap();
        assert_eq!(below.keys().collect::<Vec<_>>(), ["main.tf", "policy.json"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_revision_follows_the_links_that_a_folder_follows() {
        let bucket = |name: &str| format!("resource \"aws_s3_bucket\" \"{name}\" {{}}\n");
        for below in ["", "live/prod"] {
            let place = tempfile::tempdir().unwrap();
            let folder = place.path().join(below);
            std::fs::create_dir_all(folder.join("inner")).unwrap();
            std::fs::create_dir_all(place.path().join("common")).unwrap();
            let up = "../".repeat(below.split('/').filter(|part| !part.is_empty()).count());
            std::fs::write(place.path().join("common/a.tf"), bucket("a")).unwrap();
            std::fs::write(place.path().join("common/b.txt"), bucket("b")).unwrap();
            std::fs::write(folder.join("main.tf"), bucket("main")).unwrap();
            for (name, to) in [
                ("a.tf", format!("{up}common/a.tf")),
                ("b.tf", format!("./{up}common/../common/b.txt")),
                ("chain.tf", "inner/c.tf".to_owned()),
                ("inner/c.tf", format!("../{up}common/c.tf")),
                ("none.tf", "nowhere.tf".to_owned()),
                ("self.tf", "self.tf".to_owned()),
                ("folder.tf", "inner".to_owned()),
            ] {
                std::os::unix::fs::symlink(to, folder.join(name)).unwrap();
            }
            std::fs::write(place.path().join("common/c.tf"), bucket("c")).unwrap();
            run(place.path(), &["init", "--quiet"]);
            run(place.path(), &["add", "."]);
            run(place.path(), &["commit", "--quiet", "-m", "first"]);
            let options = Options::default();
            let there = crate::folder(&folder, &options).unwrap();
            let committed = crate::revision(&folder, "HEAD", &options).unwrap();
            let names = ["a", "b", "c", "main"].map(|name| format!("aws_s3_bucket.{name}"));
            assert_eq!(
                there.nodes.keys().cloned().collect::<Vec<_>>(),
                names,
                "{below}"
            );
            assert_eq!(
                committed.nodes.keys().cloned().collect::<Vec<_>>(),
                names,
                "{below}"
            );
            let unread = ["folder.tf", "none.tf", "self.tf"];
            assert_eq!(there.unread.keys().collect::<Vec<_>>(), unread, "{below}");
            assert_eq!(
                committed.unread.keys().collect::<Vec<_>>(),
                unread,
                "{below}"
            );
        }
    }

    #[test]
    fn what_is_no_revision_is_refused_and_never_an_option() {
        let folder = tempfile::tempdir().unwrap();
        run(folder.path(), &["init", "--quiet"]);
        for revision in ["missing", "", "--all", "-h", "HEAD", "a b", "\u{1b}[2J"] {
            assert!(files(folder.path(), revision).is_err(), "{revision:?}");
        }
    }
}
