//! Passcodes, and their hashes. No passcode is stored, logged or answered; a hash is only stored.

use std::fmt;
use std::sync::Arc;
use std::thread::available_parallelism;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{self, PasswordHasher as _, PasswordVerifier as _};
use serde::{Deserialize, Serialize};
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinError, spawn_blocking};
use unicode_normalization::UnicodeNormalization as _;

use crate::api::Scalar;
use crate::domain::Rule;

/// 6 to 128 characters that open a shareable.
#[derive(Clone, PartialEq, Eq)]
pub struct Passcode(Arc<str>);

impl Passcode {
    const MIN: usize = 6;
    const MAX: usize = 128;

    /// A passcode from outside: blanks at its ends belong to it, and each way to write an accented letter is the same.
    pub fn parse(text: &str) -> Result<Self, Rule> {
        let text: String = text.nfc().collect();
        match text.chars().count() {
            0 => Err(Rule::Required),
            length if length < Self::MIN => Err(Rule::TooShort(Self::MIN)),
            length if length > Self::MAX => Err(Rule::TooLong(Self::MAX)),
            _ => Ok(Self(text.into())),
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
    /// The task on the blocking pool failed.
    #[error("the task that hashes failed")]
    Task(#[from] JoinError),
    /// Too many wait for a turn.
    #[error("too many wait for a turn to hash")]
    Busy,
    /// There are no turns any more.
    #[error("no turn to hash")]
    Turn(#[from] AcquireError),
}

/// Requests that wait for a turn to hash: about two seconds of one core.
const MOST_WAITING: usize = 128;

/// Computes hashes on the blocking pool, at most as many at once as there are cores: each takes 19 MiB and tens of
/// milliseconds of a core.
pub struct Hasher {
    turns: Arc<Semaphore>,
    /// Places to wait for a turn.
    waiting: Semaphore,
    /// What stands for the hashes of a shareable that is not there.
    dummy: Hashes,
}

/// A turn to hash. While it is held, one less can be taken.
pub struct Turn {
    _place: OwnedSemaphorePermit,
}

impl Hasher {
    /// A hasher with a turn for each core.
    ///
    /// # Errors
    /// The system has no randomness.
    pub fn new() -> Result<Self, HashError> {
        let cores = available_parallelism().map_or(1, usize::from);
        Ok(Self {
            turns: Arc::new(Semaphore::new(cores)),
            waiting: Semaphore::new(MOST_WAITING),
            dummy: Hashes {
                view: hash(&uuid::Uuid::new_v4().to_string())?,
                admin: hash(&uuid::Uuid::new_v4().to_string())?,
            },
        })
    }

    /// Hashes that no known passcode has.
    pub fn dummy(&self) -> &Hashes {
        &self.dummy
    }

    /// Waits for a turn, unless too many do.
    pub async fn turn(&self) -> Result<Turn, HashError> {
        let _waiting = self.waiting.try_acquire().map_err(|_| HashError::Busy)?;
        let place = Arc::clone(&self.turns).acquire_owned().await?;
        Ok(Turn { _place: place })
    }

    /// Hashes a passcode.
    pub async fn hash(&self, passcode: Passcode) -> Result<PasscodeHash, HashError> {
        let turn = self.turn().await?;
        let (hash, _turn) = turn.run(move || hash(&passcode.0)).await?;
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
        self.run(move || {
            let view = is_hash_of(&hashes.view, &passcode)?;
            let admin = is_hash_of(&hashes.admin, &passcode)?;
            Ok(Matches { view, admin })
        })
        .await
    }

    /// Runs on the blocking pool. The turn ends with the work, also if nobody waits for it any more.
    async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce() -> Result<T, password_hash::Error> + Send + 'static,
    ) -> Result<(T, Turn), HashError> {
        let (done, turn) = spawn_blocking(move || (work(), self)).await?;
        Ok((done?, turn))
    }
}

fn hash(passcode: &str) -> Result<PasscodeHash, password_hash::Error> {
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).map_err(|_| password_hash::Error::Crypto)?;
    let hash: PasswordHash =
        Argon2::default().hash_password_with_salt(passcode.as_bytes(), &salt)?;
    Ok(PasscodeHash(hash.to_string()))
}

fn is_hash_of(hash: &PasscodeHash, passcode: &Passcode) -> Result<bool, password_hash::Error> {
    let parsed = PasswordHash::new(&hash.0).map_err(|_| password_hash::Error::EncodingInvalid)?;
    match Argon2::default().verify_password(passcode.0.as_bytes(), &parsed) {
        Ok(()) => Ok(true),
        Err(password_hash::Error::PasswordInvalid) => Ok(false),
        Err(error) => Err(error),
    }
}
