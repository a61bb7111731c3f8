//! The data file: names, and rows of vectors. make_data.py says how it is written.

use std::io::Read as _;

use flate2::read::ZlibDecoder;

use crate::hash::{ByHash, hash};

static FILE: &[u8] = include_bytes!("../data/occupations.bin");

/// Numbers of a vector.
pub const DIMENSIONS: usize = 64;

const MAGIC: &[u8] = b"trestle-occupations 1\n";

/// What the file has.
#[derive(Default)]
pub struct Data {
    /// The names of each occupation, the most used first.
    pub names: Vec<Vec<String>>,
    stems: ByHash<usize>,
    ngrams: ByHash<usize>,
    scales: Vec<f32>,
    /// One dimension after the other.
    rows: Vec<i8>,
}

/// The checksum of the data, with which a zlib stream ends.
pub fn version() -> u32 {
    FILE.last_chunk()
        .map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

impl Data {
    /// Reads the file; what is cut off is missing.
    pub fn read() -> Self {
        let mut content = Vec::new();
        // The file is part of the program, and a test reads all of it.
        let _ = ZlibDecoder::new(FILE).read_to_end(&mut content);
        let mut rest = content.strip_prefix(MAGIC).unwrap_or_default();
        let names = String::from_utf8_lossy(section(&mut rest));
        let names = names
            .lines()
            .map(|line| line.split('\t').map(str::to_owned).collect());
        let names = names.collect();
        let stems = by_hash(section(&mut rest), 0);
        let ngrams = by_hash(section(&mut rest), stems.len());
        let scales = section(&mut rest).iter();
        let scales = scales
            .map(|byte| (f32::from(*byte) / 32.0 - 6.0).exp())
            .collect();
        let rows = section(&mut rest)
            .iter()
            .map(|byte| byte.cast_signed())
            .collect();
        Self {
            names,
            stems,
            ngrams,
            scales,
            rows,
        }
    }

    /// Adds the row of a stem to a vector.
    pub fn add_stem(&self, vector: &mut [f32; DIMENSIONS], stem: &str, weight: f32) {
        if let Some(row) = self.stems.get(&hash(stem.as_bytes())) {
            self.add(vector, *row, weight);
        }
    }

    /// Adds the row of an n-gram to a vector.
    pub fn add_ngram(&self, vector: &mut [f32; DIMENSIONS], ngram: u64, weight: f32) {
        if let Some(row) = self.ngrams.get(&ngram) {
            self.add(vector, *row, weight);
        }
    }

    fn add(&self, vector: &mut [f32; DIMENSIONS], row: usize, weight: f32) {
        let scale = self.scales.get(row).copied().unwrap_or_default() * weight;
        for (dimension, sum) in vector.iter_mut().enumerate() {
            let at = dimension * self.scales.len() + row;
            *sum += f32::from(self.rows.get(at).copied().unwrap_or_default()) * scale;
        }
    }
}

fn section<'c>(rest: &mut &'c [u8]) -> &'c [u8] {
    let Some((length, after)) = rest.split_first_chunk() else {
        return &[];
    };
    let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let (section, after) = after.split_at_checked(length).unwrap_or_default();
    *rest = after;
    section
}

/// The numbers of lines, by the hashes of the lines.
fn by_hash(section: &[u8], first: usize) -> ByHash<usize> {
    let lines = section.split(|byte| *byte == b'\n');
    lines
        .zip(first..)
        .map(|(line, row)| (hash(line), row))
        .collect()
}
