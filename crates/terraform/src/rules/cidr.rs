//! How much of the internet a range of addresses is.

use std::net::IpAddr;

/// A prefix that is shorter is the internet: two halves of it let in as much as the whole.
pub const WIDE: u8 = 8;
/// Addresses that nobody on the internet has, in a range as wide as that: unique local addresses.
const PRIVATE: &str = "fc00::/7";

/// Whether a range of addresses is the internet; `None` if it is not one.
pub fn is_internet(range: &str) -> Option<bool> {
    let range = range.trim();
    let (address, bits) = match range.split_once('/') {
        Some((address, bits)) => (address, Some(bits.parse::<u8>().ok()?)),
        None => (range, None),
    };
    let address: IpAddr = address.parse().ok()?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    let bits = bits.unwrap_or(most);
    (bits <= most).then(|| bits < WIDE && range != PRIVATE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_ranges_are_the_internet() {
        for (range, is) in [
            ("0.0.0.0/0", Some(true)),
            ("0.0.0.0/1", Some(true)),
            ("128.0.0.0/1", Some(true)),
            ("64.0.0.0/7", Some(true)),
            ("::/0", Some(true)),
            ("::/1", Some(true)),
            ("8000::/1", Some(true)),
            ("2000::/3", Some(true)),
            ("10.0.0.0/8", Some(false)),
            ("8.8.8.8", Some(false)),
            ("fc00::/7", Some(false)),
            ("2001:db8::/32", Some(false)),
            ("0.0.0.0/33", None),
            ("anywhere", None),
        ] {
            assert_eq!(is_internet(range), is, "{range}");
        }
    }
}
