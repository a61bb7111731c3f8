//! What a text says of an occupation: a vector, and the nearest occupations. Small enough to be stored with the text.

use crate::data::{DIMENSIONS, version};
use crate::hash::hash;

/// Occupations that are kept of a text.
pub const NEAREST: usize = 40;

/// The meaning of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// Of the text, and of the version of the data that it was read by.
    tag: u64,
    vector: [i8; DIMENSIONS],
    /// Numbers of occupations in their order, with weights of which the squares add up to about 255².
    nearest: Vec<(u16, u8)>,
}

impl Meaning {
    /// The most bytes of a stored meaning.
    pub const MAX_BYTES: usize = 8 + DIMENSIONS + 3 * NEAREST;

    pub(crate) fn new(text: &str, vector: &[f32; DIMENSIONS], nearest: &[(u16, f32)]) -> Self {
        let largest = vector
            .iter()
            .fold(f32::MIN_POSITIVE, |max, x| x.abs().max(max));
        let squares: f32 = nearest.iter().map(|(_, weight)| weight * weight).sum();
        let length = squares.sqrt().max(f32::MIN_POSITIVE);
        let nearest = nearest
            .iter()
            .map(|(at, weight)| (*at, byte(weight / length)));
        let mut nearest: Vec<_> = nearest.filter(|(_, weight)| *weight > 0).collect();
        nearest.sort_unstable();
        Self {
            tag: tag(text),
            vector: vector.map(|x| signed_byte(x / largest)),
            nearest,
        }
    }

    /// Whether it is that of this text by the present data. Another one is read again.
    pub fn is_of(&self, text: &str) -> bool {
        self.tag == tag(text)
    }

    /// The vector: its direction counts.
    pub fn vector(&self) -> &[i8; DIMENSIONS] {
        &self.vector
    }

    /// To be stored.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.tag.to_be_bytes().to_vec();
        bytes.extend(self.vector.map(i8::cast_unsigned));
        for (at, weight) in &self.nearest {
            bytes.extend(at.to_be_bytes());
            bytes.push(*weight);
        }
        bytes
    }

    /// What was stored; `None` if it is something else.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (tag, rest) = bytes.split_first_chunk()?;
        let (vector, rest) = rest.split_first_chunk::<DIMENSIONS>()?;
        let (nearest, rest) = rest.as_chunks::<3>();
        let nearest = nearest
            .iter()
            .map(|[high, low, weight]| (u16::from_be_bytes([*high, *low]), *weight));
        let found = Self {
            tag: u64::from_be_bytes(*tag),
            vector: vector.map(u8::cast_signed),
            nearest: nearest.collect(),
        };
        let is_in_order = found.nearest.is_sorted_by(|(a, _), (b, _)| a < b);
        let is_whole = rest.is_empty() && found.nearest.len() <= NEAREST;
        (is_whole && is_in_order).then_some(found)
    }

    /// The cosine of the vectors, 0 to 1.
    pub fn vector_similarity(&self, other: &Self) -> f32 {
        let lengths = dot(&self.vector, &self.vector) * dot(&other.vector, &other.vector);
        if lengths > 0.0 {
            (dot(&self.vector, &other.vector) / lengths.sqrt()).max(0.0)
        } else {
            0.0
        }
    }

    /// The cosine of the nearest occupations, 0 to 1.
    pub fn occupation_similarity(&self, other: &Self) -> f32 {
        let products: u32 = self.products(other).map(|(_, product)| product).sum();
        let length = |of: &Self| -> u32 {
            let weights = of.nearest.iter();
            weights.map(|(_, weight)| u32::from(*weight).pow(2)).sum()
        };
        #[expect(clippy::cast_precision_loss, reason = "compared roughly")]
        let (products, one, two) = (products as f32, length(self) as f32, length(other) as f32);
        if products > 0.0 {
            products / (one * two).sqrt()
        } else {
            0.0
        }
    }

    /// The occupation that is nearest to both.
    pub(crate) fn nearest_to_both(&self, other: &Self) -> Option<u16> {
        let best = self.products(other).max_by_key(|(_, product)| *product);
        best.map(|(at, _)| at)
    }

    /// The occupations of both, with the products of their weights.
    fn products(&self, other: &Self) -> impl Iterator<Item = (u16, u32)> {
        self.nearest.iter().filter_map(|(at, weight)| {
            let same = other.nearest.binary_search_by_key(at, |(other, _)| *other);
            let (_, second) = other.nearest.get(same.ok()?)?;
            Some((*at, u32::from(*weight) * u32::from(*second)))
        })
    }
}

fn tag(text: &str) -> u64 {
    let version = version().to_be_bytes();
    hash(&[&version, text.as_bytes()].concat())
}

fn dot(one: &[i8; DIMENSIONS], two: &[i8; DIMENSIONS]) -> f32 {
    let products = one.iter().zip(two);
    let sum: i32 = products.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
    #[expect(clippy::cast_precision_loss, reason = "at most 2^20")]
    let sum = sum as f32;
    sum
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "0 to 255"
)]
fn byte(share: f32) -> u8 {
    (share * 255.0).round().clamp(0.0, 255.0) as u8
}

#[expect(clippy::cast_possible_truncation, reason = "-127 to 127")]
fn signed_byte(share: f32) -> i8 {
    (share * 127.0).round().clamp(-127.0, 127.0) as i8
}
