//! Signed URLs of this server: what may be done with which object until when, under a key that only this server has.

use std::io;
use std::path::Path;

use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use url::Url;

use super::grant::{Access, Download, Grant, Upload};
use trestle_domain::{hex, hex_32};
use trestle_service::{key_in_file, random_bytes};

/// Why a URL is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// It was not signed with this key, or was altered.
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
        random_bytes().map(Self)
    }

    /// The key in `file`. A missing file is created, readable by its owner only.
    ///
    /// # Errors
    /// The file cannot be read or created, or does not hold a key.
    pub fn in_file(file: &Path) -> io::Result<Self> {
        key_in_file(file, "key").map(Self)
    }

    /// The URL `origin` + `path` that allows what `grant` says.
    pub(super) fn url(
        &self,
        origin: &Url,
        path: &str,
        grant: &Grant,
        expires: DateTime<Utc>,
    ) -> Url {
        let mut url = origin.clone();
        let base = origin.path().trim_end_matches('/').to_owned();
        url.set_path(&format!("{base}{path}"));
        let expires = expires.timestamp();
        let mut query = url.query_pairs_mut();
        query.clear();
        for (name, value) in pairs(grant, expires) {
            query.append_pair(name, &value);
        }
        let signature = hex(&self.mac(grant, expires).finalize().into_bytes());
        query.append_pair("signature", &signature);
        drop(query);
        url
    }

    /// What a URL's query allows at `now`.
    ///
    /// # Errors
    /// [`Refused`].
    pub(super) fn read(&self, query: &str, now: DateTime<Utc>) -> Result<Grant, Refused> {
        let access = match needed(query, "method")?.as_str() {
            "PUT" => Access::Put(Upload {
                max_bytes: number(needed(query, "max")?)?,
                content_type: one(query, "type")?,
                bytes: one(query, "bytes")?.map(number).transpose()?,
                sha256: one(query, "sha256")?.map(digest).transpose()?,
            }),
            "GET" => Access::Get(Download {
                name: one(query, "name")?,
                content_type: one(query, "type")?,
                reader: one(query, "reader")?,
            }),
            _ => return Err(Refused::Forged),
        };
        let grant = Grant {
            key: needed(query, "key")?,
            access,
        };
        let expires = number(needed(query, "expires")?)?;
        let expires = i64::try_from(expires).map_err(|_| Refused::Forged)?;
        let signature = digest(needed(query, "signature")?)?;
        // In constant time.
        self.mac(&grant, expires)
            .verify_slice(&signature)
            .map_err(|_| Refused::Forged)?;
        if now.timestamp() >= expires {
            return Err(Refused::Expired);
        }
        Ok(grant)
    }

    /// Over every part and its length, so that no part extends into the next.
    fn mac(&self, grant: &Grant, expires: i64) -> Hmac<Sha256> {
        // A key shorter than a block is padded with zeros: RFC 2104, 2.
        let mut block = [0; 64];
        block[..self.0.len()].copy_from_slice(&self.0);
        let mut mac = <Hmac<Sha256> as KeyInit>::new(&block.into());
        let mut part = |text: &str| {
            mac.update(&(text.len() as u64).to_be_bytes());
            mac.update(text.as_bytes());
        };
        for (name, value) in pairs(grant, expires) {
            part(name);
            part(&value);
        }
        mac
    }
}

/// The parameters of a URL, except its signature.
fn pairs(grant: &Grant, expires: i64) -> Vec<(&'static str, String)> {
    let mut pairs = vec![
        ("method", grant.access.method().as_str().to_owned()),
        ("key", grant.key.clone()),
        ("expires", expires.to_string()),
    ];
    let mut add = |name, value: Option<String>| pairs.extend(value.map(|value| (name, value)));
    match &grant.access {
        Access::Put(upload) => {
            add("max", Some(upload.max_bytes.to_string()));
            add("type", upload.content_type.clone());
            add("bytes", upload.bytes.map(|bytes| bytes.to_string()));
            add("sha256", upload.sha256.map(|digest| hex(&digest)));
        }
        Access::Get(download) => {
            add("name", download.name.clone());
            add("type", download.content_type.clone());
            add("reader", download.reader.clone());
        }
    }
    pairs
}

/// The parameter of a query, which it has at most once.
fn one(query: &str, name: &str) -> Result<Option<String>, Refused> {
    let mut found = url::form_urlencoded::parse(query.as_bytes()).filter(|(n, _)| n == name);
    let value = found.next().map(|(_, value)| value.into_owned());
    match found.next() {
        None => Ok(value),
        Some(_) => Err(Refused::Forged),
    }
}

fn needed(query: &str, name: &str) -> Result<String, Refused> {
    one(query, name)?.ok_or(Refused::Forged)
}

fn number(text: String) -> Result<u64, Refused> {
    text.parse().map_err(|_| Refused::Forged)
}

fn digest(text: String) -> Result<[u8; 32], Refused> {
    hex_32(&text).ok_or(Refused::Forged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant() -> Grant {
        Grant {
            key: "uploads/dev/u/r/main.tf".to_owned(),
            access: Access::Put(Upload {
                max_bytes: 100,
                content_type: Some("text/plain".to_owned()),
                bytes: Some(7),
                sha256: Some([9; 32]),
            }),
        }
    }

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    #[test]
    fn a_url_grants_what_was_signed_until_it_expires() {
        let key = SigningKey([7; 32]);
        let origin = Url::parse("http://127.0.0.1:80/behind/").unwrap();
        let url = key.url(&origin, "/graph-runs/files", &grant(), at(100));
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
    fn a_download_is_signed_for_its_reader() {
        let key = SigningKey([7; 32]);
        let access = Access::Get(Download {
            reader: Some("ada".to_owned()),
            ..Download::default()
        });
        let grant = Grant { access, ..grant() };
        let url = key.url(&Url::parse("http://h").unwrap(), "/f", &grant, at(100));
        let query = url.query().unwrap();
        assert_eq!(key.read(query, at(1)), Ok(grant));
        for forged in [
            query.replace("=ada", "=eve"),
            query.replace("&reader=ada", ""),
        ] {
            assert_ne!(forged, query);
            assert_eq!(key.read(&forged, at(1)), Err(Refused::Forged));
        }
    }

    #[test]
    fn every_altered_part_is_refused() {
        let key = SigningKey([7; 32]);
        let url = key.url(&Url::parse("http://h").unwrap(), "/f", &grant(), at(100));
        let query = url.query().unwrap();
        for (from, to) in [
            ("PUT", "GET"),
            ("main.tf", "main.tg"),
            ("expires=100", "expires=999"),
            ("max=100", "max=101"),
            ("bytes=7", "bytes=8"),
            ("&bytes=7", ""),
            ("sha256=09", "sha256=0a"),
            ("type=text%2Fplain", "type=text%2Fhtml"),
            ("&type=text%2Fplain", ""),
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
