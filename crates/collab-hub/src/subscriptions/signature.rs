//! The signature of Stripe's webhooks: `t=<seconds>,v1=<HMAC-SHA256 of "<seconds>.<body>">`.
//! Source: <https://docs.stripe.com/webhooks#verify-manually>.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use trestle_domain::hex_32;

/// How many seconds the time of a signature may differ from the server's.
const TOLERANCE: i64 = 300;
/// Number of signatures that are tried, at most. Stripe sends two while a secret is rotated.
const MAX_SIGNATURES: usize = 5;

/// Whether `header` signs `body` with `secret`, at most five minutes before or after `now`, in seconds since 1970.
pub fn is_signed(secret: &str, header: &str, body: &[u8], now: i64) -> bool {
    let parts = || {
        header
            .split(',')
            .filter_map(|part| part.trim().split_once('='))
    };
    let Some((_, time)) = parts().find(|(name, _)| *name == "t") else {
        return false;
    };
    let is_recent = time
        .parse::<i64>()
        .is_ok_and(|time| now.abs_diff(time) <= TOLERANCE as u64);
    let signatures = parts()
        .filter(|(name, _)| *name == "v1")
        .take(MAX_SIGNATURES);
    let mut decoded = signatures.filter_map(|(_, hex)| hex_32(hex));
    is_recent && decoded.any(|signature| matches(secret, time, body, &signature))
}

/// Compares in constant time.
fn matches(secret: &str, time: &str, body: &[u8], signature: &[u8]) -> bool {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        return false;
    };
    mac.update(time.as_bytes());
    mac.update(b".");
    mac.update(body);
    mac.verify_slice(signature).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    // Made with `printf '1700000000.{}' | openssl dgst -sha256 -hmac whsec_test`.
    const SIGNED: &str = "35495024f4ef3f94e5a93e22221544c4b75e9a42300cd965ab81cb85cd994e91";

    #[test]
    fn a_signature_of_another_implementation_is_accepted_for_five_minutes() {
        let header = format!("t=1700000000,v1={SIGNED}");
        for now in [1_700_000_000, 1_700_000_300, 1_699_999_700] {
            assert!(is_signed("whsec_test", &header, b"{}", now));
        }
        for now in [1_700_000_301, 1_699_999_699] {
            assert!(!is_signed("whsec_test", &header, b"{}", now));
        }
    }

    #[test]
    fn anything_else_is_refused() {
        let header = |time: &str, name: &str, hex: &str| format!("t={time},{name}={hex}");
        let now = 1_700_000_000;
        assert!(!is_signed(
            "whsec_other",
            &header("1700000000", "v1", SIGNED),
            b"{}",
            now
        ));
        assert!(!is_signed(
            "whsec_test",
            &header("1700000001", "v1", SIGNED),
            b"{}",
            now
        ));
        assert!(!is_signed(
            "whsec_test",
            &header("1700000000", "v0", SIGNED),
            b"{}",
            now
        ));
        assert!(!is_signed(
            "whsec_test",
            &header("1700000000", "v1", SIGNED),
            b"{ }",
            now
        ));
        assert!(!is_signed(
            "whsec_test",
            &header("1700000000", "v1", &SIGNED[..62]),
            b"{}",
            now
        ));
        for bad in [
            "",
            "t=1700000000",
            "t=,v1=",
            "v1=00",
            "t=99999999999999999999,v1=00",
        ] {
            assert!(!is_signed("whsec_test", bad, b"{}", now), "{bad}");
        }
        let several = format!("t=1700000000,v1={},v1={SIGNED}", "0".repeat(64));
        assert!(is_signed("whsec_test", &several, b"{}", now));
    }
}
