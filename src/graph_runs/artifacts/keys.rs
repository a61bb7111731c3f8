//! The objects' keys. Each is made of segments, so that no text from outside forges one.

use std::fmt::Write as _;

use object_store::path::Path;
use sha2::{Digest, Sha256};

use crate::graph_runs::model::{Environment, IacFormat, RunId, UserId};

/// The most bytes of a segment: a file's name takes 255.
const MAX_SEGMENT: usize = 200;

/// The uploaded file: `uploads/<env>/<user>/<run>/main.tf.json`.
pub fn upload_key(
    environment: Environment,
    user: &UserId,
    run: &RunId,
    format: IacFormat,
) -> String {
    let name = match format {
        IacFormat::Json => "main.tf.json",
        IacFormat::Hcl => "main.tf",
    };
    key("uploads", environment, user, run, name)
}

/// The verified graph: `graphs/<env>/<user>/<run>/graph.json`. Only this server writes it.
pub fn graph_key(environment: Environment, user: &UserId, run: &RunId) -> String {
    key("graphs", environment, user, run, "graph.json")
}

/// A graph that a worker hands in, not yet verified: `graphs/<env>/<user>/<run>/incoming-<attempt>.json`.
pub fn incoming_graph_key(
    environment: Environment,
    user: &UserId,
    run: &RunId,
    attempt: u32,
) -> String {
    key(
        "graphs",
        environment,
        user,
        run,
        &format!("incoming-{attempt}.json"),
    )
}

/// The risk report: `reports/<env>/<user>/<run>/risk.json`.
pub fn report_key(environment: Environment, user: &UserId, run: &RunId) -> String {
    key("reports", environment, user, run, "risk.json")
}

fn key(kind: &str, environment: Environment, user: &UserId, run: &RunId, name: &str) -> String {
    let user = segment(user.as_str());
    // Each segment is encoded once more where it needs it, `..` among them.
    let path = Path::from_iter([kind, environment.word(), user.as_str(), run.as_str(), name]);
    path.into()
}

/// A user as a segment: everything but letters, digits and `@._-` in hexadecimal, and a digest where that is
/// too long for a file's name.
fn segment(user: &str) -> String {
    let mut text = String::with_capacity(user.len());
    for byte in user.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'@' | b'.' | b'_' | b'-' => {
                text.push(char::from(byte));
            }
            // Writing to a String cannot fail.
            byte => drop(write!(text, "={byte:02X}")),
        }
    }
    if text.is_empty() || text.len() > MAX_SEGMENT {
        return format!(
            "=sha256-{}",
            crate::graph_runs::model::hex_digest(&Sha256::digest(user))
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keys_read_like_the_contract() {
        let (user, run) = (UserId::new("u1"), RunId::parse("c8a91e").unwrap());
        assert_eq!(
            graph_key(Environment::Dev, &user, &run),
            "graphs/dev/u1/c8a91e/graph.json"
        );
        assert_eq!(
            report_key(Environment::Prod, &user, &run),
            "reports/prod/u1/c8a91e/risk.json"
        );
        assert_eq!(
            upload_key(Environment::Dev, &user, &run, IacFormat::Json),
            "uploads/dev/u1/c8a91e/main.tf.json"
        );
    }

    proptest! {
        #[test]
        fn a_users_keys_are_below_no_other_users(a in ".{0,90}", b in "[./a=%~ -]{0,6}") {
            let run = RunId::parse("r").unwrap();
            let of = |user: &str| graph_key(Environment::Dev, &UserId::new(user), &run);
            prop_assert_eq!(a == b, of(&a) == of(&b));
            for user in [&a, &b] {
                let key = of(user);
                let segments: Vec<_> = key.split('/').collect();
                prop_assert_eq!(segments.len(), 5);
                prop_assert!(segments.iter().all(|s| !s.is_empty() && s.len() < 255 && *s != ".." && *s != "."));
                prop_assert!(Path::parse(&key).is_ok());
            }
        }
    }
}
