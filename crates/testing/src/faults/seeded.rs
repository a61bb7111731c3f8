//! Random numbers from a seed that is printed, so that a run can be had again.

/// SplitMix64: small, and the same everywhere.
#[derive(Clone, Debug)]
pub struct Seeded(u64);

impl Seeded {
    /// From `TRESTLE_SEED`, or else `seed`; printed, so that the run can be had again.
    pub fn printed(seed: u64) -> Self {
        let seed = std::env::var("TRESTLE_SEED")
            .ok()
            .and_then(|seed| seed.parse().ok())
            .unwrap_or(seed);
        eprintln!("TRESTLE_SEED={seed}");
        Self(seed)
    }

    /// From a number that was drawn already.
    pub fn of(draw: u64) -> Self {
        Self(draw)
    }

    /// Another sequence that follows from this one.
    pub fn split(&mut self) -> Self {
        Self(self.draw())
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.draw() % bound
    }

    /// A place in a list of so many.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
