//! Tokens: what a person who knew a passcode may do with which shareable, until when. Signed, so that the hash of the
//! passcode is not computed for each request.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::passcode::PasscodeHash;
use super::short_id::ShortId;
use crate::domain::Text;
use crate::words;

words! {
    /// What a passcode opens.
    ShareableRole {
        /// Reading, ticking items and voting.
        View = "VIEW",
        /// Everything: changing, sharing, cloning and deleting too.
        Admin = "ADMIN",
    }

    /// What a shareable is.
    ShareableKind {
        /// A list of items to tick.
        Checklist = "checklist",
        /// A question with options to vote for.
        Poll = "poll",
    }
}

/// How long a token is good for, in seconds.
pub const LIFETIME: i64 = 3600;
/// What every token begins with.
const VERSION: &str = "s1";

/// What a token says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claims {
    /// The shareable.
    #[serde(rename = "i")]
    pub short_id: ShortId,
    /// What it is.
    #[serde(rename = "k")]
    pub kind: ShareableKind,
    /// When it expires, in seconds after 1970. It never changes.
    #[serde(rename = "x")]
    pub shareable_expires: i64,
    /// What was opened.
    #[serde(rename = "r")]
    pub role: ShareableRole,
    /// When the token expires, in seconds after 1970.
    #[serde(rename = "e")]
    pub expires: i64,
    /// The seal of the passcode's hash: another passcode has another.
    #[serde(rename = "p")]
    pub seal: String,
    /// Who votes.
    #[serde(rename = "v")]
    pub voter_id: Uuid,
    /// What they are called, if they said so.
    #[serde(rename = "n", default, skip_serializing_if = "Option::is_none")]
    pub voter_name: Option<VoterName>,
}

/// What a person who ticks or votes is called.
pub type VoterName = Text<1, 80>;

/// The secret under which tokens are signed, the same in every process that serves the tables.
pub struct Secret([u8; 32]);

impl Secret {
    /// A secret of this process alone.
    ///
    /// # Errors
    /// The system has no randomness.
    pub fn random() -> io::Result<Self> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Self(key))
    }

    /// A secret that an operator chose.
    pub fn of_text(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }

    /// The secret in `file`, made if it is not there, for its owner's eyes only. Processes that start together get
    /// the same one.
    ///
    /// # Errors
    /// The file cannot be read or made, or does not hold a secret.
    pub fn in_file(file: &Path) -> io::Result<Self> {
        match Self::read_file(file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            read => return read,
        }
        let own = file.with_extension(Uuid::new_v4().simple().to_string());
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut made = options.open(&own)?;
        made.write_all(&Self::random()?.0)?;
        made.sync_all()?;
        // Fails if another process was faster; then its file is there, and whole.
        let linked = fs::hard_link(&own, file);
        fs::remove_file(&own)?;
        match linked {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Self::read_file(file),
        }
    }

    fn read_file(file: &Path) -> io::Result<Self> {
        let mut key = Vec::new();
        File::open(file)?.take(64).read_to_end(&mut key)?;
        let key = key.try_into().map(Self);
        key.map_err(|_| io::Error::other("it does not hold a secret of 32 bytes"))
    }

    /// A token that says this.
    ///
    /// # Errors
    /// The claims cannot be written, which is a fault of ours.
    pub fn sign(&self, claims: &Claims) -> serde_json::Result<String> {
        let said = URL_SAFE_NO_PAD.encode(serde_json::to_vec(claims)?);
        let mac = self.mac("token", said.as_bytes());
        let signature = URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
        Ok([VERSION, &said, &signature].join("."))
    }

    /// What a token says at `now`; `None` if it is not one of ours, or expired.
    pub fn read(&self, token: &str, now: DateTime<Utc>) -> Option<Claims> {
        let (version, rest) = token.split_once('.')?;
        let (said, signature) = rest.split_once('.')?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        // In constant time.
        let mac = self.mac("token", said.as_bytes());
        mac.verify_slice(&signature).ok()?;
        let claims: Claims = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(said).ok()?).ok()?;
        (version == VERSION && now.timestamp() < claims.expires).then_some(claims)
    }

    /// The seal of a hash: it says nothing of the hash, and tells it from others.
    pub fn seal(&self, hash: &PasscodeHash) -> String {
        let mac = self.mac("seal", hash.as_bytes()).finalize().into_bytes();
        URL_SAFE_NO_PAD.encode(mac.get(..9).unwrap_or_default())
    }

    fn mac(&self, purpose: &str, bytes: &[u8]) -> Hmac<Sha256> {
        // A key shorter than a block is padded with zeros: RFC 2104, 2.
        let mut block = [0; 64];
        block[..self.0.len()].copy_from_slice(&self.0);
        let mut mac = <Hmac<Sha256> as KeyInit>::new(&block.into());
        mac.update(purpose.as_bytes());
        mac.update(&[0]);
        mac.update(bytes);
        mac
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims() -> Claims {
        Claims {
            short_id: ShortId::parse("ABC-DEF-12345").unwrap(),
            kind: ShareableKind::Poll,
            shareable_expires: 900,
            role: ShareableRole::View,
            expires: 100,
            seal: "seal".to_owned(),
            voter_id: Uuid::nil(),
            voter_name: Some(Text::parse("Ann").unwrap()),
        }
    }

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    #[test]
    fn a_token_says_what_was_signed_until_it_expires() {
        let secret = Secret::of_text("a");
        let token = secret.sign(&claims()).unwrap();
        assert_eq!(secret.read(&token, at(99)), Some(claims()));
        assert_eq!(secret.read(&token, at(100)), None);
        assert_eq!(Secret::of_text("b").read(&token, at(99)), None);
        assert_eq!(Secret::random().unwrap().read(&token, at(99)), None);
    }

    #[test]
    fn an_altered_token_is_refused() {
        let secret = Secret::of_text("a");
        let token = secret.sign(&claims()).unwrap();
        let admin = Claims {
            role: ShareableRole::Admin,
            ..claims()
        };
        let forged = URL_SAFE_NO_PAD.encode(serde_json::to_vec(&admin).unwrap());
        let (_, signature) = token.rsplit_once('.').unwrap();
        for altered in [
            format!("s1.{forged}.{signature}"),
            token.replacen("s1", "s2", 1),
            token[..token.len() - 1].to_owned(),
            format!("{token}A"),
            String::new(),
            "..".to_owned(),
        ] {
            assert_eq!(secret.read(&altered, at(1)), None, "{altered}");
        }
    }

    #[test]
    fn processes_that_start_together_share_a_secret_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("shareables.key");
        let secrets: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| Secret::in_file(&file)))
                .collect();
            threads
                .into_iter()
                .map(|t| t.join().unwrap().unwrap().0)
                .collect()
        });
        assert!(secrets.iter().all(|secret| *secret == secrets[0]));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        fs::write(&file, "short").unwrap();
        assert!(Secret::in_file(&file).is_err());
    }
}
