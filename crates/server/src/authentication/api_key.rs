//! API keys: the file that holds their hashes, the look-up, and the making of a new one. Owns the format
//! of both. Does not know how a key travels.
//!
//! A hash without salt or stretching is enough here because a key is 256 random bits, not a password:
//! there is nothing to guess.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use url::form_urlencoded;

use crate::settings_file::read_file;
use trestle_api::viewer::{Access, Owner, Viewer};
use trestle_domain::{hex, hex_32};

/// What a generated key begins with, so that people and secret scanners know one.
pub(super) const PREFIX: &str = "trk_";
/// The most bytes of a key file: some ten thousand keys.
const MAX_FILE: u64 = 1024 * 1024;
/// The most characters of a key's name.
const MAX_NAME: usize = 64;
/// What a key's name has beside letters and digits.
const MARKS: &str = "-_.";
/// What the name of a role has beside them.
const ROLE_MARKS: &str = "-_.:/";

type Hash = [u8; 32];

/// A key file that is read again when it changes.
pub(super) struct KeyFile {
    path: PathBuf,
    keys: RwLock<Arc<ApiKeys>>,
}

impl KeyFile {
    pub(super) fn open(path: &Path) -> Result<Self, KeyFileError> {
        Ok(Self {
            path: path.to_owned(),
            keys: RwLock::new(Arc::new(ApiKeys::read(path)?)),
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn keys(&self) -> Arc<ApiKeys> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the file again. Answers whether something has changed.
    ///
    /// # Errors
    /// As at the start. What was read before stays in use.
    pub(super) fn read_again(&self) -> Result<bool, KeyFileError> {
        let keys = ApiKeys::read(&self.path)?;
        // Whose applications a table has was decided at the start, by whether keys name owners.
        if keys.name_owners() && !self.keys().name_owners() {
            return Err(KeyFileError::Owners {
                path: self.path.clone(),
            });
        }
        let mut current = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        let has_changed = **current != keys;
        *current = Arc::new(keys);
        Ok(has_changed)
    }
}

/// The keys of one file.
#[derive(PartialEq, Eq)]
pub(super) struct ApiKeys(Vec<Entry>);

#[derive(PartialEq, Eq)]
struct Entry {
    name: String,
    access: Access,
    roles: Vec<String>,
    hash: Hash,
    owner: Option<Owner>,
}

/// Why a key file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// It cannot be read.
    #[error("Cannot read the API keys in {path}: {cause}. Check the path and its permissions.")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        cause: std::io::Error,
    },
    /// It cannot be written.
    #[error("Cannot write {path}: {cause}. Run the command as a user who may write the file.")]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        cause: std::io::Error,
    },
    /// It is no list of keys by its size.
    #[error("{path} is larger than 1 MiB: is it a file of API keys?")]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// It holds no key, so that nobody could ever get in.
    #[error("{path} holds no API key. `trestle api-key NAME` makes one and prints its line.")]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// Without the keys to remove it would hold none.
    #[error(
        "{path} would hold no API key, and running servers would go on with those that they have read. Stop them and remove the \
         file, or add another key first."
    )]
    Last {
        /// The file.
        path: PathBuf,
    },
    /// Its keys name owners now, and did not at the start.
    #[error(
        "Keys in {path} name owners now. Start the server again, and say with --tenancy whose applications the table has."
    )]
    Owners {
        /// The file.
        path: PathBuf,
    },
    /// A line is not one.
    #[error(
        "{path}, line {line}: {problem}. A line is `NAME none|read|write HASH`, the hash being the key's \
         SHA-256 in 64 hexadecimal digits. Roles follow the access after commas, and `owner=NAME` can follow the hash."
    )]
    Line {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong with it, without its contents.
        problem: LineProblem,
    },
}

impl KeyFileError {
    fn unreadable(path: &Path, cause: io::Error) -> Self {
        let path = path.to_owned();
        match cause.kind() {
            io::ErrorKind::FileTooLarge => Self::TooLarge { path },
            _ => Self::Unreadable { path, cause },
        }
    }
}

/// What is wrong with a line of a key file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineProblem {
    /// There are not three words, or four.
    #[error("it has not three words, or four with an owner")]
    Words,
    /// See [`KeyNameError`].
    #[error("the name is not 1 to 64 letters, digits, `-`, `_` or `.`")]
    Name,
    /// Another line has the same name.
    #[error("the name stands on an earlier line too")]
    NameTwice,
    /// Neither `none` nor `read` nor `write`.
    #[error("the access is neither `none` nor `read` nor `write`")]
    Access,
    /// The name of the owner is empty or too long.
    #[error("the owner is not a name of 1 to 256 bytes, encoded as in a URL")]
    Owner,
    /// Not 64 hexadecimal digits.
    #[error("the hash is not 64 hexadecimal digits")]
    Hash,
    /// Another line has the same hash, so that one key would have two names.
    #[error("the hash stands on an earlier line too")]
    HashTwice,
}

/// The name of a key, or of one of its roles, is not usable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "Name the key with 1 to 64 letters, digits, `-`, `_` or `.`. The names of its roles may have `:` and `/`, too."
)]
pub struct KeyNameError;

impl ApiKeys {
    /// Reads a key file: a key a line; `#` begins a comment at the start of a word. Roles follow the access behind commas:
    /// `NAME write,graph-runs-worker HASH`. An owner follows the hash, encoded as in a URL's query:
    /// `NAME write HASH owner=auth0%7C123`.
    pub(super) fn read(path: &Path) -> Result<Self, KeyFileError> {
        Self::of(path, &text_of(path)?)
    }

    /// The keys in the text of the file at `path`.
    fn of(path: &Path, text: &str) -> Result<Self, KeyFileError> {
        let keys = Self::parse(text).map_err(|(line, problem)| KeyFileError::Line {
            path: path.to_owned(),
            line,
            problem,
        })?;
        if keys.0.is_empty() {
            return Err(KeyFileError::Empty {
                path: path.to_owned(),
            });
        }
        Ok(keys)
    }

    fn parse(text: &str) -> Result<Self, (usize, LineProblem)> {
        let mut entries: Vec<Entry> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = without_comment(line).trim();
            if line.is_empty() {
                continue;
            }
            let entry = Entry::parse(line).map_err(|problem| (index + 1, problem))?;
            for earlier in &entries {
                if earlier.name == entry.name {
                    return Err((index + 1, LineProblem::NameTwice));
                }
                if earlier.hash == entry.hash {
                    return Err((index + 1, LineProblem::HashTwice));
                }
            }
            entries.push(entry);
        }
        Ok(Self(entries))
    }

    /// Whether a key names its owner.
    pub(super) fn name_owners(&self) -> bool {
        self.0.iter().any(|entry| entry.owner.is_some())
    }

    /// How many keys may read or write.
    pub(super) fn with_access(&self) -> usize {
        let keys = self.0.iter();
        keys.filter(|entry| entry.access != Access::None).count()
    }

    /// The viewer that `key` stands for. Takes the same time whether or where it is in the list.
    pub(super) fn viewer(&self, key: &[u8]) -> Option<Viewer> {
        let hash: Hash = Sha256::digest(key).into();
        let mut found = None;
        for entry in &self.0 {
            if bool::from(entry.hash.ct_eq(&hash)) {
                found = Some(entry);
            }
        }
        found.map(|entry| {
            Viewer::new(&entry.name, entry.access)
                .with_roles(entry.roles.iter().cloned())
                .with_owner(entry.owner.clone())
        })
    }
}

/// Whose keys are removed from a key file.
#[derive(Clone, Copy, Debug)]
pub enum KeysOf<'k> {
    /// Those of an owner.
    Owner(&'k Owner),
    /// The one with this name.
    Name(&'k str),
}

/// Removes lines of keys from the key file at `path`, and answers the names of the keys. It is written over, so that its rights stay.
///
/// # Errors
/// The file cannot be used or written, or would have no key: a running server would go on with those that it has read.
pub fn remove_keys(path: &Path, of: KeysOf<'_>) -> Result<Vec<String>, KeyFileError> {
    let text = text_of(path)?;
    ApiKeys::of(path, &text)?;
    let (mut removed, mut rest) = (Vec::new(), String::new());
    for line in text.split_inclusive('\n') {
        let entry = Entry::parse(without_comment(line).trim());
        let entry = entry.ok().filter(|entry| entry.is_of(of));
        match entry {
            Some(entry) => removed.push(entry.name),
            None => rest.push_str(line),
        }
    }
    if removed.is_empty() {
        return Ok(removed);
    }
    if ApiKeys::parse(&rest).is_ok_and(|keys| keys.0.is_empty()) {
        return Err(KeyFileError::Last {
            path: path.to_owned(),
        });
    }
    match write_over(path, &rest) {
        Ok(()) => Ok(removed),
        Err(cause) => Err(KeyFileError::Unwritable {
            path: path.to_owned(),
            cause,
        }),
    }
}

fn text_of(path: &Path) -> Result<String, KeyFileError> {
    let read = read_file(path, MAX_FILE).and_then(|read| {
        String::from_utf8(read).map_err(|text| io::Error::new(io::ErrorKind::InvalidData, text))
    });
    read.map_err(|cause| KeyFileError::unreadable(path, cause))
}

/// Writes a shorter text over a file. Its owner and rights stay, and where it is mounted it is still the same file.
fn write_over(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::options().write(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.set_len(text.len() as u64)?;
    file.sync_all()
}

/// A line up to a word that begins with `#`. In the middle of a word it is an error that the word's rules report.
fn without_comment(line: &str) -> &str {
    let mut before = ' ';
    let begin = line.char_indices().find(|(_, c)| {
        let begins = *c == '#' && before.is_whitespace();
        before = *c;
        begins
    });
    begin.and_then(|(at, _)| line.get(..at)).unwrap_or(line)
}

impl Entry {
    fn is_of(&self, of: KeysOf<'_>) -> bool {
        match of {
            KeysOf::Owner(owner) => self.owner.as_ref() == Some(owner),
            KeysOf::Name(name) => self.name == name,
        }
    }

    fn parse(line: &str) -> Result<Self, LineProblem> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (name, access, hash, owner) = match words[..] {
            [name, access, hash] => (name, access, hash, None),
            [name, access, hash, owner] if owner.starts_with("owner=") => {
                (name, access, hash, Some(parse_owner(owner)?))
            }
            _ => return Err(LineProblem::Words),
        };
        check(name, MARKS).map_err(|_| LineProblem::Name)?;
        let mut roles = access.split(',').map(str::to_owned);
        let access = match roles.next().as_deref() {
            Some("none") => Access::None,
            Some("read") => Access::Read,
            Some("write") => Access::Write,
            _ => return Err(LineProblem::Access),
        };
        Ok(Self {
            name: name.to_owned(),
            access,
            roles: roles.collect(),
            hash: hex_32(hash).ok_or(LineProblem::Hash)?,
            owner,
        })
    }
}

/// Checks the name of a key or of a role, which has letters, digits and these marks.
fn check(name: &str, marks: &str) -> Result<(), KeyNameError> {
    let fits = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || marks.contains(c));
    if name.is_empty() || name.len() > MAX_NAME || !fits {
        return Err(KeyNameError);
    }
    Ok(())
}

/// Reads an owner in the one way in which it is written, so that no two spellings name the same one.
fn parse_owner(word: &str) -> Result<Owner, LineProblem> {
    let mut pairs = form_urlencoded::parse(word.as_bytes());
    let owner = match (pairs.next(), pairs.next()) {
        (Some((name, owner)), None) if name == "owner" => Owner::new(owner),
        _ => None,
    };
    let owner = owner.filter(|owner| owner_word(owner).eq_ignore_ascii_case(word));
    owner.ok_or(LineProblem::Owner)
}

fn owner_word(owner: &Owner) -> String {
    let encoded: String = form_urlencoded::byte_serialize(owner.as_str().as_bytes()).collect();
    format!("owner={encoded}")
}

/// A new key: what its holder gets, and what the server keeps.
#[derive(Clone, PartialEq, Eq)]
pub struct GeneratedKey {
    /// The key itself, to be shown once and kept nowhere.
    pub secret: String,
    /// The key file's line for it, without a line end.
    pub line: String,
}

/// Makes a key without roles and owner, as [`NewKey::generate`] does.
///
/// # Errors
/// [`KeyNameError`].
pub fn generate(
    name: &str,
    access: Access,
    random: [u8; 32],
) -> Result<GeneratedKey, KeyNameError> {
    let key = NewKey {
        name,
        access,
        roles: &[],
        owner: None,
    };
    key.generate(random)
}

/// A key to make.
#[derive(Clone, Debug)]
pub struct NewKey<'k> {
    /// The name of the client.
    pub name: &'k str,
    /// What it may do.
    pub access: Access,
    /// Its roles beyond that.
    pub roles: &'k [String],
    /// Whose data it works with.
    pub owner: Option<&'k Owner>,
}

impl NewKey<'_> {
    /// Makes the key of `random`, which has to come from the system's generator of secrets.
    ///
    /// # Errors
    /// [`KeyNameError`].
    pub fn generate(&self, random: [u8; 32]) -> Result<GeneratedKey, KeyNameError> {
        check(self.name, MARKS)?;
        let mut roles = self.roles.iter();
        roles.try_for_each(|role| check(role, ROLE_MARKS))?;
        let secret = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(random));
        let access = match self.access {
            Access::None => "none",
            Access::Read => "read",
            Access::Write => "write",
        };
        let mut line = format!("{} {access}", self.name);
        for role in self.roles {
            line.push(',');
            line.push_str(role);
        }
        line.push(' ');
        line.push_str(&hex(&Sha256::digest(secret.as_bytes())));
        if let Some(owner) = self.owner {
            line.push(' ');
            line.push_str(&owner_word(owner));
        }
        Ok(GeneratedKey { secret, line })
    }
}
