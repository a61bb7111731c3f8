//! Signed URLs of our own: what may be done with which object until when, under a key that only this server has.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use http::Method;
use sha2::Sha256;
use url::Url;

use super::Expected;
use crate::graph_runs::model::hex_digest;

/// Below the origin, where signed URLs lead.
pub const PATH: &str = "/graph-runs/files";

/// What a signed URL allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// PUT or GET.
    pub method: Method,
    /// The object.
    pub key: String,
    /// The most bytes that are taken.
    pub max: u64,
    /// What the bytes have to be.
    pub expected: Expected,
}

/// Why a URL is not good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It is not one of ours, or was altered.
    Forged,
    /// Its time is over.
    Expired,
}

/// The secret under which URLs are signed: 32 random bytes.
pub struct SigningKey([u8; 32]);

impl SigningKey {
    /// A new key.
    ///
    /// # Errors
    /// The system has no randomness.
    pub fn random() -> io::Result<Self> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|e| io::Error::other(e.to_string()))?;
        Ok(Self(key))
    }

    /// The key in `file`, made where it is not there, for its owner's eyes only.
    ///
    /// # Errors
    /// The file cannot be read or made, or does not hold a key.
    pub fn in_file(file: &Path) -> io::Result<Self> {
        match File::open(file) {
            Ok(mut opened) => {
                let mut key = Vec::new();
                opened.read_to_end(&mut key)?;
                let key = key.try_into();
                key.map(Self)
                    .map_err(|_| io::Error::other("it does not hold a key of 32 bytes"))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let key = Self::random()?;
                let mut options = OpenOptions::new();
                options.write(true).create_new(true);
                #[cfg(unix)]
                std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
                let mut made = options.open(file)?;
                made.write_all(&key.0)?;
                made.sync_all()?;
                Ok(key)
            }
            Err(error) => Err(error),
        }
    }

    /// The URL below `origin` that allows what `grant` says.
    pub fn url(&self, origin: &Url, grant: &Grant, expires: DateTime<Utc>) -> Url {
        let mut url = origin.clone();
        let base = origin.path().trim_end_matches('/').to_owned();
        url.set_path(&format!("{base}{PATH}"));
        let expires = expires.timestamp();
        let mut query = url.query_pairs_mut();
        query
            .clear()
            .append_pair("method", grant.method.as_str())
            .append_pair("key", &grant.key)
            .append_pair("expires", &expires.to_string());
        if grant.method == Method::PUT {
            query.append_pair("max", &grant.max.to_string());
        }
        if let Some(bytes) = grant.expected.bytes {
            query.append_pair("bytes", &bytes.to_string());
        }
        if let Some(sha256) = &grant.expected.sha256 {
            query.append_pair("sha256", &hex_digest(sha256));
        }
        let signature = hex_digest(&self.mac(grant, expires).finalize().into_bytes());
        query.append_pair("signature", &signature);
        drop(query);
        url
    }

    /// What a URL's query allows at `now`.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn read(&self, query: &str, now: DateTime<Utc>) -> Result<Grant, Refused> {
        let one = |name: &str| {
            let mut found =
                url::form_urlencoded::parse(query.as_bytes()).filter(|(n, _)| n == name);
            let value = found.next().map(|(_, value)| value.into_owned());
            match found.next() {
                None => Ok(value),
                Some(_) => Err(Refused::Forged),
            }
        };
        let needed = |name| one(name)?.ok_or(Refused::Forged);
        let number = |text: String| text.parse::<u64>().map_err(|_| Refused::Forged);
        let method = match needed("method")?.as_str() {
            "PUT" => Method::PUT,
            "GET" => Method::GET,
            _ => return Err(Refused::Forged),
        };
        let expires = number(needed("expires")?)?;
        let digest = |text: String| bytes_of(&text).ok_or(Refused::Forged);
        let grant = Grant {
            method,
            key: needed("key")?,
            max: one("max")?.map(number).transpose()?.unwrap_or_default(),
            expected: Expected {
                bytes: one("bytes")?.map(number).transpose()?,
                sha256: one("sha256")?.map(digest).transpose()?,
            },
        };
        let expires = i64::try_from(expires).map_err(|_| Refused::Forged)?;
        let signature = bytes_of(&needed("signature")?).ok_or(Refused::Forged)?;
        // In constant time.
        self.mac(&grant, expires)
            .verify_slice(&signature)
            .map_err(|_| Refused::Forged)?;
        if now.timestamp() >= expires {
            return Err(Refused::Expired);
        }
        Ok(grant)
    }

    /// Over every part with its length, so that no part runs into the next.
    fn mac(&self, grant: &Grant, expires: i64) -> Hmac<Sha256> {
        // A key shorter than a block is padded with zeros: RFC 2104, 2.
        let mut block = [0; 64];
        block[..self.0.len()].copy_from_slice(&self.0);
        let mut mac = <Hmac<Sha256> as KeyInit>::new(&block.into());
        let mut part = |bytes: &[u8]| {
            mac.update(&(bytes.len() as u64).to_be_bytes());
            mac.update(bytes);
        };
        part(grant.method.as_str().as_bytes());
        part(grant.key.as_bytes());
        part(&expires.to_be_bytes());
        part(&grant.max.to_be_bytes());
        part(
            grant
                .expected
                .bytes
                .map(u64::to_be_bytes)
                .as_ref()
                .map_or(&[], <[u8; 8]>::as_slice),
        );
        part(
            grant
                .expected
                .sha256
                .as_ref()
                .map_or(&[], <[u8; 32]>::as_slice),
        );
        mac
    }
}

fn bytes_of(hex: &str) -> Option<[u8; 32]> {
    if hex.len() != 64 || !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let mut bytes = [0; 32];
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(hex.get(2 * place..2 * place + 2)?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant() -> Grant {
        Grant {
            method: Method::PUT,
            key: "uploads/dev/u/r/main.tf".to_owned(),
            max: 100,
            expected: Expected {
                bytes: Some(7),
                sha256: Some([9; 32]),
            },
        }
    }

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    #[test]
    fn a_url_says_what_was_granted_until_it_expires() {
        let key = SigningKey([7; 32]);
        let origin = Url::parse("http://127.0.0.1:80/behind/").unwrap();
        let url = key.url(&origin, &grant(), at(100));
        assert_eq!(url.path(), "/behind/graph-runs/files");
        let query = url.query().unwrap();
        assert_eq!(key.read(query, at(99)), Ok(grant()));
        assert_eq!(key.read(query, at(100)), Err(Refused::Expired));
        assert_eq!(
            SigningKey([8; 32]).read(query, at(99)),
            Err(Refused::Forged)
        );
    }

    #[test]
    fn every_altered_part_is_seen() {
        let key = SigningKey([7; 32]);
        let url = key.url(&Url::parse("http://h").unwrap(), &grant(), at(100));
        let query = url.query().unwrap();
        for (from, to) in [
            ("PUT", "GET"),
            ("main.tf", "main.tg"),
            ("expires=100", "expires=999"),
            ("max=100", "max=101"),
            ("bytes=7", "bytes=8"),
            ("&bytes=7", ""),
            ("sha256=09", "sha256=0a"),
            ("max=100", "max=100&max=101"),
            ("signature=", "signature=0"),
            ("&signature", "&s"),
        ] {
            let forged = query.replace(from, to);
            assert_ne!(forged, query, "{from}");
            assert_eq!(
                key.read(&forged, at(1)),
                Err(Refused::Forged),
                "{from} to {to}"
            );
        }
    }
}
