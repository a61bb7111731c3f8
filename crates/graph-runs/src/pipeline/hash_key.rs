//! The key under which values are hashed that a graph leaves out: whoever has the graph and not the key cannot confirm a
//! guess, however few values there may be.

use std::fmt;

use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use trestle_domain::{hex, hex_32};

/// How many digits of a hash stand in a graph: enough to show a change.
const DIGITS: usize = 6;

/// A secret of 32 bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct HashKey([u8; 32]);

impl HashKey {
    /// A new key, with which nothing else is hashed.
    pub fn random() -> Self {
        let halves = [Uuid::new_v4(), Uuid::new_v4()].map(Uuid::into_bytes);
        let mut key = [0; 32];
        for (to, from) in key.iter_mut().zip(halves.as_flattened()) {
            *to = *from;
        }
        Self(key)
    }

    /// The key that a text has; `None` if it has none.
    pub fn parse(text: &str) -> Option<Self> {
        hex_32(text).map(Self)
    }

    /// The key as a text.
    pub fn text(&self) -> String {
        hex(&self.0)
    }

    /// The start of the hash of a value: `sha256:1f2e3d…`.
    pub fn hash(&self, value: &[u8]) -> String {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(value);
        let whole = hex(&hash.finalize());
        format!("sha256:{}…", whole.get(..DIGITS).unwrap_or_default())
    }
}

impl Default for HashKey {
    fn default() -> Self {
        Self::random()
    }
}

impl fmt::Debug for HashKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HashKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_the_same_hash_under_the_same_key_only() {
        let key = HashKey::random();
        let same = HashKey::parse(&key.text()).unwrap();
        assert_eq!(key.hash(b"1234"), same.hash(b"1234"));
        assert_ne!(key.hash(b"1234"), key.hash(b"1235"));
        let others = (0..8).map(|_| HashKey::random().hash(b"1234"));
        assert!(others.into_iter().any(|hash| hash != key.hash(b"1234")));
        assert_eq!(HashKey::parse("ab"), None);
        assert!(!format!("{key:?}").contains(&key.text()));
    }
}
