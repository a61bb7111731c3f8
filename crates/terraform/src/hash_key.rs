//! The key of the hashes that stand in a graph for values that it leaves out. Without the key, nobody can confirm a guess of
//! a value, however few values are possible.

use std::fmt;

use sha2::{Digest as _, Sha256};
use uuid::Uuid;

/// A secret of 32 bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct HashKey([u8; 32]);

impl HashKey {
    /// A new key.
    pub fn random() -> Self {
        let halves = [Uuid::new_v4(), Uuid::new_v4()].map(Uuid::into_bytes);
        Self(Sha256::digest(halves.as_flattened()).into())
    }

    /// The key in a text; `None` if the text is not a key.
    pub fn parse(text: &str) -> Option<Self> {
        let mut key = [0; 32];
        hex::decode_to_slice(text, &mut key).ok()?;
        Some(Self(key))
    }

    /// The key as a text.
    pub fn text(&self) -> String {
        hex::encode(self.0)
    }

    /// The start of the hash of a value, long enough to show a change: `sha256:1f2e3d…`.
    pub fn hash(&self, value: &[u8]) -> String {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(value);
        let [first, second, third, ..]: [u8; 32] = hash.finalize().into();
        format!("sha256:{}…", hex::encode([first, second, third]))
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
