//! Tokens: what a person who knew a passcode may do with which shareable, until when. Signed, so that the hash of the
//! passcode is not computed for each request.

use std::io;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::passcode::PasscodeHash;
use super::short_id::ShortId;
use trestle_domain::Text;
use trestle_domain::string_enum;
use trestle_service::{key_in_file, random_bytes};

string_enum! {
    /// What a passcode opens.
    ShareableRole {
        /// Reading, ticking items and voting.
        View = "VIEW",
        /// Everything: changing, sharing, cloning and deleting too.
        Admin = "ADMIN",
    }

    /// What those with the view passcode may do with the items of a checklist, besides reading them.
    ViewerPermission {
        /// Ticking items and clearing their ticks, one item at a time. `untickChecklist`, which clears all, needs the admin passcode.
        Tick = "TICK",
        /// Adding items.
        Add = "ADD",
        /// Changing the names and notes of items.
        Edit = "EDIT",
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
const TOKEN: TokenKind = TokenKind {
    version: "s1",
    purpose: "token",
};
const TICKET: TokenKind = TokenKind {
    version: "w1",
    purpose: "ticket",
};
const REFRESH: TokenKind = TokenKind {
    version: "r1",
    purpose: "refresh",
};

/// A kind of text that the server signs.
struct TokenKind {
    /// What the text begins with.
    version: &'static str,
    /// Part of what is signed, so that a text of one kind is none of another.
    purpose: &'static str,
}

/// What a token says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claims {
    /// The shareable.
    #[serde(rename = "i")]
    pub short_id: ShortId,
    /// What it is.
    #[serde(rename = "k")]
    pub kind: ShareableKind,
    /// What was opened.
    #[serde(rename = "r")]
    pub role: ShareableRole,
    /// When the token expires, in seconds after 1970.
    #[serde(rename = "e")]
    pub expires: i64,
    /// The seal of what it depends on: another passcode has another.
    #[serde(rename = "p")]
    pub seal: String,
    /// What it was issued for, besides a passcode.
    #[serde(rename = "g", default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<Grant>,
    /// Which opening it comes from: renewing keeps it.
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<Uuid>,
    /// Who votes.
    #[serde(rename = "v")]
    pub voter_id: Uuid,
    /// What they are called, if they said so.
    #[serde(rename = "n", default, skip_serializing_if = "Option::is_none")]
    pub voter_name: Option<VoterName>,
}

/// What a token can be issued for besides a passcode. The admin can take it back, which voids the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Grant {
    /// A device that stays signed in.
    #[serde(rename = "d")]
    Device(Uuid),
    /// The personal link of an invited voter.
    #[serde(rename = "i")]
    Invitation(Uuid),
}

/// What a refresh token says: which use of which device it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RefreshClaims {
    /// The shareable.
    #[serde(rename = "i")]
    pub short_id: ShortId,
    /// The device.
    #[serde(rename = "d")]
    pub device: Uuid,
    /// How often it was used before.
    #[serde(rename = "n")]
    pub uses: u32,
}

/// How long a ticket is good for, in seconds.
pub const TICKET_LIFETIME: i64 = 60;

/// What a ticket says: who begins to watch, and until when they may begin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ticket {
    /// Until when a stream can begin with it, in seconds after 1970.
    #[serde(rename = "e")]
    pub expires: i64,
    /// What the token says that it was made of.
    #[serde(rename = "c")]
    pub claims: Claims,
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
        random_bytes().map(Self)
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
        key_in_file(file, "secret").map(Self)
    }

    /// A token that says this.
    ///
    /// # Errors
    /// The claims cannot be written, which is a fault of ours.
    pub fn sign(&self, claims: &Claims) -> serde_json::Result<String> {
        self.signed(&TOKEN, claims)
    }

    /// What a token says at `now`; `None` if it is not one of ours, or expired.
    pub fn read(&self, token: &str, now: DateTime<Utc>) -> Option<Claims> {
        let claims: Claims = self.verified(&TOKEN, token)?;
        (now.timestamp() < claims.expires).then_some(claims)
    }

    /// A ticket that says this.
    ///
    /// # Errors
    /// As [`Secret::sign`].
    pub fn sign_ticket(&self, ticket: &Ticket) -> serde_json::Result<String> {
        self.signed(&TICKET, ticket)
    }

    /// What a ticket says; `None` if it is not one of ours.
    pub fn read_ticket(&self, ticket: &str) -> Option<Ticket> {
        self.verified(&TICKET, ticket)
    }

    /// A refresh token that says this.
    ///
    /// # Errors
    /// As [`Secret::sign`].
    pub fn sign_refresh(&self, claims: &RefreshClaims) -> serde_json::Result<String> {
        self.signed(&REFRESH, claims)
    }

    /// What a refresh token says; `None` if it is not one of ours.
    pub fn read_refresh(&self, token: &str) -> Option<RefreshClaims> {
        self.verified(&REFRESH, token)
    }

    fn signed<T: Serialize>(&self, kind: &TokenKind, said: &T) -> serde_json::Result<String> {
        let said = URL_SAFE_NO_PAD.encode(serde_json::to_vec(said)?);
        let mac = self.mac(kind.purpose, said.as_bytes());
        let signature = URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
        Ok([kind.version, &said, &signature].join("."))
    }

    fn verified<T: DeserializeOwned>(&self, kind: &TokenKind, token: &str) -> Option<T> {
        let (given, rest) = token.split_once('.')?;
        let (said, signature) = rest.split_once('.')?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        // In constant time.
        let mac = self.mac(kind.purpose, said.as_bytes());
        mac.verify_slice(&signature).ok()?;
        let said = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(said).ok()?).ok()?;
        (given == kind.version).then_some(said)
    }

    /// The seal of a hash: it says nothing of the hash, and tells it from others.
    pub fn seal(&self, hash: &PasscodeHash) -> String {
        self.seal_of(hash.as_bytes())
    }

    /// The seal of other bytes that a token depends on.
    pub fn seal_of(&self, bytes: &[u8]) -> String {
        let mac = self.mac("seal", bytes).finalize().into_bytes();
        URL_SAFE_NO_PAD.encode(mac.get(..9).unwrap_or_default())
    }

    /// What is stored of the secret of a personal link, which is too long to be guessed.
    pub fn hash_of_link(&self, link: &[u8]) -> String {
        let mac = self.mac("link", link).finalize().into_bytes();
        URL_SAFE_NO_PAD.encode(mac)
    }

    /// Whether a stored hash is that of a personal link. In constant time.
    pub fn is_hash_of_link(&self, hash: &str, link: &[u8]) -> bool {
        let hash = URL_SAFE_NO_PAD.decode(hash).unwrap_or_default();
        self.mac("link", link).verify_slice(&hash).is_ok()
    }

    /// The voter whom an invitation stands for, whatever its link is. Only this server knows it.
    pub fn invited_voter(&self, invitation: Uuid) -> Uuid {
        let mac = self.mac("voter", invitation.as_bytes());
        let mut bytes = [0; 16];
        let digest = mac.finalize().into_bytes();
        bytes.copy_from_slice(&digest[..16]);
        uuid::Builder::from_custom_bytes(bytes).into_uuid()
    }

    /// The voter's id that begins as `random` does and shows the seal of the passcode that opened a shareable: nobody else
    /// can make one.
    pub fn voter_of(&self, short_id: &ShortId, seal: &str, random: Uuid) -> Uuid {
        let mut bytes = *random.as_bytes();
        // The version, as the builder writes it.
        bytes[6] = bytes[6] & 0x0f | 0x80;
        let (first, last) = bytes.split_at_mut(8);
        let shown = [format!("{short_id} {seal} ").as_bytes(), &*first].concat();
        let digest = self.mac("given voter", &shown).finalize().into_bytes();
        last.copy_from_slice(&digest[..8]);
        uuid::Builder::from_custom_bytes(bytes).into_uuid()
    }

    /// The hash of an address or a voter as a source of guesses for a short id. It does not tell which one it is.
    pub fn source(&self, short_id: &ShortId, who: &str) -> String {
        let text = format!("{short_id} {who}");
        let mac = self.mac("source", text.as_bytes()).finalize().into_bytes();
        let bytes = mac.get(..16).unwrap_or_default();
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
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
    use std::fs;

    use super::*;

    fn claims() -> Claims {
        Claims {
            short_id: ShortId::parse("ABC-DEF-12345").unwrap(),
            kind: ShareableKind::Poll,
            grant: Some(Grant::Device(Uuid::nil())),
            opening: Some(Uuid::nil()),
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
    fn a_token_of_one_purpose_serves_no_other() {
        let secret = Secret::of_text("a");
        let refresh = RefreshClaims {
            short_id: claims().short_id,
            device: Uuid::nil(),
            uses: 3,
        };
        let refresh_token = secret.sign_refresh(&refresh).unwrap();
        assert_eq!(secret.read_refresh(&refresh_token), Some(refresh));
        assert_eq!(secret.read(&refresh_token, at(1)), None);
        assert_eq!(
            secret.read(&refresh_token.replacen("r1", "s1", 1), at(1)),
            None
        );
        let token = secret.sign(&claims()).unwrap();
        assert_eq!(secret.read_refresh(&token.replacen("s1", "r1", 1)), None);
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
