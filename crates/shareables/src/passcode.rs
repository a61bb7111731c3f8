//! Passcodes, and their hashes. No passcode is stored, logged or answered; a hash is only stored.

use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::{self, available_parallelism};
use std::{fmt, io};

use argon2::password_hash::phc::{Output, PasswordHash, Salt};
use argon2::password_hash::{self, PasswordHasher as _, PasswordVerifier as _};
use argon2::{ARGON2ID_IDENT, Algorithm, Argon2, Params, Version};
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use tokio::task::JoinError;
use unicode_normalization::UnicodeNormalization as _;
use zxcvbn::Score;

use super::short_id::{bare, is_invisible};
use super::turns::{self, Turns};
use trestle_api::Scalar;
use trestle_domain::Rule;
use trestle_service::random_bytes;

/// Characters that are judged. From 28 on, zxcvbn's count of ways over a keyboard overflows.
const JUDGED: usize = 27;

/// How many guesses a new passcode takes at least. The limits allow 36,500 in a year.
#[derive(Clone, Copy, Debug)]
pub enum Strength {
    /// For a view passcode.
    Million,
    /// For an admin passcode.
    HundredMillion,
}

/// 6 to 128 characters that open a shareable.
#[derive(Clone)]
pub struct Passcode {
    /// Without blanks at its ends.
    text: Arc<str>,
    /// Other forms of it that open, too: with its blanks, which earlier passcodes had, and as the server writes the ones
    /// that it makes.
    forms: Vec<Arc<str>>,
}

/// Passcodes that open the same are the same.
impl PartialEq for Passcode {
    fn eq(&self, other: &Self) -> bool {
        let plain = |passcode: &Self| {
            Self::as_made(&passcode.text).unwrap_or_else(|| passcode.text.to_string())
        };
        plain(self) == plain(other)
    }
}

impl Passcode {
    const MIN: usize = 6;
    const MAX: usize = 128;
    /// What the server makes passcodes of: nothing that is mistaken for something else.
    const ALPHABET: &'static [u8; 31] = b"abcdefghjkmnpqrstuvwxyz23456789";

    /// A passcode from outside: blanks, line breaks and invisible characters at its ends do not count, and each way to write an accented
    /// letter is the same.
    pub fn parse(text: &str) -> Result<Self, Rule> {
        let whole: String = text.nfc().collect();
        let text = whole.trim_matches(|c: char| c.is_whitespace() || is_invisible(c));
        let mut forms: Vec<Arc<str>> = Vec::new();
        let made = Self::as_made(text);
        for form in [Some(whole.as_str()), Some(whole.trim()), made.as_deref()] {
            let is_new = |form: &&str| *form != text && !forms.iter().any(|f| **f == **form);
            if let Some(form) = form.filter(is_new) {
                forms.push(form.into());
            }
        }
        match text.chars().count() {
            0 => Err(Rule::Required),
            length if length < Self::MIN => Err(Rule::TooShort(Self::MIN)),
            length if length > Self::MAX => Err(Rule::TooLong(Self::MAX)),
            _ => Ok(Self {
                text: text.into(),
                forms,
            }),
        }
    }

    /// A new passcode: twelve letters and digits, 59 bits.
    ///
    /// # Errors
    /// The system has no randomness.
    pub fn random() -> io::Result<Self> {
        let mut number = u128::from_le_bytes(random_bytes()?);
        let mut text = String::new();
        for at in 0..12 {
            if at > 0 && at % 4 == 0 {
                text.push('-');
            }
            let count = Self::ALPHABET.len() as u128;
            let drawn = Self::ALPHABET.get((number % count) as usize);
            text.push(char::from(drawn.copied().unwrap_or(b'a')));
            number /= count;
        }
        Ok(Self {
            text: text.into(),
            forms: Vec::new(),
        })
    }

    /// A text as the server writes the passcodes that it makes, if it can be one: in any case, and with any hyphens.
    fn as_made(text: &str) -> Option<String> {
        let bare: String = bare(text).take(Self::MAX).collect();
        let bare = bare.to_ascii_lowercase();
        let is_made = bare.len() == 12 && bare.bytes().all(|b| Self::ALPHABET.contains(&b));
        let (first, rest) = bare.split_at_checked(4)?;
        let (second, third) = rest.split_at_checked(4)?;
        is_made.then(|| [first, second, third].join("-"))
    }

    /// Whether it can be one that the server made.
    pub fn may_be_made(&self) -> bool {
        Self::as_made(&self.text).is_some()
    }

    /// The passcode in clear, for the one answer that shows what the server made.
    pub fn reveal(&self) -> String {
        self.text.to_string()
    }

    /// Refuses a new passcode that is easy to guess, also for someone who knows these words.
    ///
    /// # Errors
    /// [`Rule::Invalid`], which says how to make a better one.
    pub fn judged(self, least: Strength, words: &[&str]) -> Result<Self, Rule> {
        const EASY: Rule = Rule::Invalid(
            "harder to guess: three or more unusual words, or leave it out and the server makes one",
        );
        let least = match least {
            Strength::Million => Score::Two,
            Strength::HundredMillion => Score::Three,
        };
        // It is at least as hard to guess as its beginning.
        let beginning: String = self.text.chars().take(JUDGED).collect();
        if zxcvbn::zxcvbn(&beginning, words).score() >= least {
            Ok(self)
        } else {
            Err(EASY)
        }
    }
}

impl fmt::Debug for Passcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passcode(..)")
    }
}

impl Scalar for Passcode {
    type As = String;

    fn read(given: String) -> Result<Self, Rule> {
        Self::parse(&given)
    }

    fn show(&self) -> String {
        String::new()
    }
}

/// Passcodes that the server has made, in clear: they are shown once, to those who asked for them.
#[derive(Clone, Default)]
pub struct MadePasscodes {
    pub view: Option<Passcode>,
    pub admin: Option<Passcode>,
}

/// Memory in KiB that a hash takes, with two passes over it: OWASP's advice for Argon2id, which is the default of `argon2`.
pub const HASH_MEMORY: u32 = Params::DEFAULT_M_COST;

/// The Argon2id hash of a passcode as a PHC string, its salt and costs included.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PasscodeHash(String);

impl PasscodeHash {
    /// For seals of tokens, which change with it.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for PasscodeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasscodeHash(..)")
    }
}

/// The hashes of a shareable's two passcodes.
#[derive(Clone, Debug)]
pub struct Hashes {
    /// Opens reading, ticking and voting.
    pub view: PasscodeHash,
    /// Opens everything.
    pub admin: PasscodeHash,
}

/// Which of two hashes a passcode has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matches {
    pub view: bool,
    pub admin: bool,
}

/// A hash could not be computed.
#[derive(Debug, thiserror::Error)]
pub enum HashError {
    /// Argon2 or the system's randomness failed.
    #[error("a passcode could not be hashed")]
    Hash(#[from] password_hash::Error),
    /// The task that waits for it failed.
    #[error("the task that hashes failed")]
    Task(#[from] JoinError),
    /// The thread that hashes failed, or could not be started.
    #[error("the thread that hashes failed")]
    Thread(#[from] io::Error),
    /// Too many wait for a turn.
    #[error("too many wait for a turn to hash")]
    Busy,
}

/// Computes hashes, at most as many at once as there are cores: each takes the memory of a hash, and tens of milliseconds of a
/// core for [`HASH_MEMORY`].
pub struct Hasher {
    turns: Arc<Turns>,
    threads: Threads,
    argon2: Argon2<'static>,
    /// What stands for the hashes of a shareable that is not there.
    dummy: Hashes,
}

/// A turn to hash. While it is held, one less can be taken.
pub struct Turn {
    argon2: Argon2<'static>,
    threads: Threads,
    _turn: turns::Turn,
}

impl Hasher {
    /// A hasher with a turn for each core. What it hashes takes `memory` KiB; a stored hash is compared at its own costs.
    ///
    /// # Errors
    /// The system has no randomness or no threads, or Argon2 cannot work with so little memory: 8 KiB is the least.
    pub fn new(memory: u32) -> Result<Self, HashError> {
        let cores = available_parallelism().map_or(1, usize::from);
        let params = Params::new(memory, Params::DEFAULT_T_COST, Params::DEFAULT_P_COST, None);
        let params = params.map_err(password_hash::Error::from)?;
        let argon2 = Argon2::new(Algorithm::default(), Version::default(), params);
        Ok(Self {
            turns: Turns::new(cores),
            threads: Threads::start(cores)?,
            dummy: Hashes {
                view: of_no_passcode(&argon2)?,
                admin: of_no_passcode(&argon2)?,
            },
            argon2,
        })
    }

    /// Hashes that no known passcode has.
    pub fn dummy(&self) -> &Hashes {
        &self.dummy
    }

    /// Waits for a turn, unless too many do.
    pub async fn turn(&self, address: Option<IpAddr>) -> Result<Turn, HashError> {
        let turn = self.turns.take(address).await.ok_or(HashError::Busy)?;
        Ok(Turn {
            argon2: self.argon2.clone(),
            threads: self.threads.clone(),
            _turn: turn,
        })
    }

    /// Hashes a passcode.
    pub async fn hash(
        &self,
        passcode: Passcode,
        address: Option<IpAddr>,
    ) -> Result<PasscodeHash, HashError> {
        let turn = self.turn(address).await?;
        let (hash, _turn) = turn.run(move |argon2| hash(argon2, &passcode.text)).await?;
        Ok(hash)
    }
}

impl Turn {
    /// Which of the hashes a passcode has. Both are always computed, and compared in constant time.
    pub async fn check(
        self,
        passcode: Passcode,
        hashes: Hashes,
    ) -> Result<(Matches, Turn), HashError> {
        self.run(move |argon2| {
            let view = is_hash_of(argon2, &hashes.view, &passcode)?;
            let admin = is_hash_of(argon2, &hashes.admin, &passcode)?;
            Ok(Matches { view, admin })
        })
        .await
    }

    /// Runs on one of the threads. The turn ends with the work, also if nobody waits for it any more.
    async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce(&Argon2<'static>) -> Result<T, password_hash::Error> + Send + 'static,
    ) -> Result<(T, Turn), HashError> {
        let (answer, answered) = oneshot::channel();
        let threads = self.threads.clone();
        threads.run(move || {
            let done = work(&self.argon2);
            // Nobody may wait for it any more.
            drop(answer.send((done, self)));
        })?;
        let (done, turn) = answered.await.map_err(io::Error::other)?;
        Ok((done?, turn))
    }
}

/// Threads that hash. An allocator keeps for a thread what it has freed: on the pool for blocking work, each of hundreds of threads
/// kept the memory of a hash.
#[derive(Clone)]
struct Threads(mpsc::Sender<Box<dyn FnOnce() + Send>>);

impl Threads {
    /// So many threads. They end when the last of these values is dropped.
    fn start(count: usize) -> io::Result<Self> {
        let (sender, receiver) = mpsc::channel::<Box<dyn FnOnce() + Send>>();
        let receiver = Arc::new(Mutex::new(receiver));
        for _ in 0..count {
            let receiver = Arc::clone(&receiver);
            thread::Builder::new()
                .name("hash".to_owned())
                .spawn(move || {
                    while let Some(work) = next(&receiver) {
                        // Whoever waits for work that panics learns it by its channel.
                        drop(catch_unwind(AssertUnwindSafe(work)));
                    }
                })?;
        }
        Ok(Self(sender))
    }

    fn run(&self, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        self.0
            .send(Box::new(work))
            .map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// Waits for the next work; nothing when there will be none.
fn next(
    work: &Mutex<mpsc::Receiver<Box<dyn FnOnce() + Send>>>,
) -> Option<Box<dyn FnOnce() + Send>> {
    let work = work.lock().unwrap_or_else(PoisonError::into_inner);
    work.recv().ok()
}

fn hash(argon2: &Argon2<'static>, passcode: &str) -> Result<PasscodeHash, password_hash::Error> {
    let salt: [u8; 16] = random_bytes().map_err(|_| password_hash::Error::Crypto)?;
    let hash: PasswordHash = argon2.hash_password_with_salt(passcode.as_bytes(), &salt)?;
    Ok(PasscodeHash(hash.to_string()))
}

/// A hash that no passcode has, at the costs of those that are made.
fn of_no_passcode(argon2: &Argon2<'static>) -> Result<PasscodeHash, password_hash::Error> {
    let salt: [u8; 16] = random_bytes().map_err(|_| password_hash::Error::Crypto)?;
    let output: [u8; 32] = random_bytes().map_err(|_| password_hash::Error::Crypto)?;
    let hash = PasswordHash {
        algorithm: ARGON2ID_IDENT,
        version: Some(Version::default().into()),
        params: argon2.params().try_into()?,
        salt: Some(Salt::new(&salt)?),
        hash: Some(Output::new(&output)?),
    };
    Ok(PasscodeHash(hash.to_string()))
}

/// No passcode has a hash that another program stored and that is none; to find that out takes as long.
fn is_hash_of(
    argon2: &Argon2<'static>,
    stored: &PasscodeHash,
    passcode: &Passcode,
) -> Result<bool, password_hash::Error> {
    use password_hash::Error;

    let parsed = PasswordHash::new(&stored.0).ok();
    for text in std::iter::once(&passcode.text).chain(&passcode.forms) {
        let verified = parsed
            .as_ref()
            .map(|parsed| argon2.verify_password(text.as_bytes(), parsed));
        match verified {
            Some(Ok(())) => return Ok(true),
            Some(Err(Error::PasswordInvalid)) => {}
            Some(Err(error @ (Error::Crypto | Error::Internal | Error::OutOfMemory))) => {
                return Err(error);
            }
            None | Some(Err(_)) => {
                tracing::warn!(
                    "A stored hash of a passcode is malformed, so that no passcode opens it"
                );
                hash(argon2, text)?;
            }
        }
    }
    Ok(false)
}
