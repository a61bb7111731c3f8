//! Hashes of features: of stems and of sequences of letters.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Hashes of features with their weights.
pub type Features = Vec<(u64, f32)>;

/// A map from hashes.
pub type ByHash<V> = HashMap<u64, V, BuildHasherDefault<Identity>>;

/// FNV-1a of 64 bits: the features are some hundred thousand, so that no two of them meet.
pub fn hash(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

/// Keys are hashes already.
#[derive(Default)]
pub struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash(bytes);
    }

    fn write_u64(&mut self, value: u64) {
        // The upper bits choose the group, and the lower bits of FNV differ the most.
        self.0 = value.rotate_left(32) ^ value;
    }
}
