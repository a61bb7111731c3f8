//! The objects' keys. Each is made of segments, so that no text from outside forges one. What clients and workers
//! write is at `incoming` keys; what a run refers to is at keys that only this server writes, once.

use object_store::path::Path;
use sha2::{Digest as _, Sha256};

use super::model::{Digest, Environment, GraphHash, IacFormat, Run, RunId, UserId};
use trestle_domain::{escaped, hex};
use trestle_terraform::Format;

/// The most bytes of a segment: a file's name takes 255.
const MAX_SEGMENT: usize = 200;

/// Where a client puts the file: `uploads/<env>/<user>/<run>/incoming-main.tf`.
pub fn incoming_upload(
    environment: Environment,
    user: &UserId,
    run: &RunId,
    format: IacFormat,
) -> String {
    let name = format!("incoming-{}", file_name(format));
    key("uploads", environment, user, run, &name)
}

/// The file that is analyzed: `uploads/<env>/<user>/<run>/<sha256>-main.tf`.
pub fn upload(run: &Run, sha256: &Digest) -> String {
    of(
        run,
        "uploads",
        &format!("{sha256}-{}", file_name(run.upload.format)),
    )
}

/// The name of a file of this format, for its key and for downloads.
pub fn file_name(format: IacFormat) -> &'static str {
    Format::from(format).file_name()
}

/// A graph that the worker of an attempt hands in, not yet verified: `graphs/<env>/<user>/<run>/incoming-<attempt>.json`.
pub fn incoming_graph(run: &Run) -> String {
    of(run, "graphs", &format!("incoming-{}.json", run.attempt))
}

/// The verified graph of an attempt: `graphs/<env>/<user>/<run>/<attempt>-<hash>.json`.
pub fn graph(run: &Run, hash: &GraphHash) -> String {
    let hash = hash.as_str().rsplit(':').next().unwrap_or_default();
    of(run, "graphs", &format!("{}-{hash}.json", run.attempt))
}

/// A risk report that the worker of an attempt hands in: `reports/<env>/<user>/<run>/incoming-<attempt>.json`.
pub fn incoming_report(run: &Run) -> String {
    of(run, "reports", &format!("incoming-{}.json", run.attempt))
}

/// The risk report of an attempt: `reports/<env>/<user>/<run>/<attempt>-<sha256>.json`.
pub fn report(run: &Run, sha256: &Digest) -> String {
    of(run, "reports", &format!("{}-{sha256}.json", run.attempt))
}

/// An object in the making, for which no other writer has the key: `<kind>/<env>/<user>/<run>/part-<name>`.
pub fn part(run: &Run, kind: &'static str, unique: &str) -> String {
    of(run, kind, &format!("part-{unique}"))
}

/// Whether a text is the key of an object that a run refers to and that only this server writes.
pub fn is_kept(text: &str) -> bool {
    let segments: Vec<_> = text.split('/').collect();
    match segments[..] {
        [kind, _, _, _, name] => {
            ["uploads", "graphs", "reports"].contains(&kind)
                && !name.starts_with("incoming-")
                && !name.starts_with("part-")
        }
        _ => false,
    }
}

/// The differences from one run's graph to another's: `differences/<env>/<user>/<run>/<other run>.<extension>`.
pub fn difference(from: &Run, to: &Run, extension: &'static str) -> String {
    of(from, "differences", &format!("{}.{extension}", to.id))
}

/// The key of the hashes of values in a user's graphs: `keys/<user>/graph-hashes`. No URL is signed for it.
pub fn hash_key(user: &UserId) -> String {
    folder(&["keys", &segment(user.as_str()), "graph-hashes"])
}

/// The folders of a run's objects.
pub fn folders(environment: Environment, user: &UserId, run: &RunId) -> [String; 5] {
    ["uploads", "graphs", "reports", "differences", "pictures"].map(|kind| {
        folder(&[
            kind,
            environment.word(),
            &segment(user.as_str()),
            run.as_str(),
        ])
    })
}

/// The folder of all differences between a user's runs.
pub fn differences(environment: Environment, user: &UserId) -> String {
    folder(&["differences", environment.word(), &segment(user.as_str())])
}

/// Whether an object has differences to a run.
pub fn is_difference_to(key: &str, run: &RunId) -> bool {
    let name = key.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.')
        .is_some_and(|(to, _)| to == run.as_str())
}

fn folder(segments: &[&str]) -> String {
    Path::from_iter(segments.iter().copied()).into()
}

/// A picture of a verified graph: `pictures/<env>/<user>/<run>/<hash>.<extension>`.
pub fn picture(run: &Run, hash: &GraphHash, extension: &'static str) -> String {
    let hash = hash.as_str().rsplit(':').next().unwrap_or_default();
    of(run, "pictures", &format!("{hash}.{extension}"))
}

fn of(run: &Run, kind: &'static str, name: &str) -> String {
    key(kind, run.environment, &run.user, &run.id, name)
}

fn key(kind: &str, environment: Environment, user: &UserId, run: &RunId, name: &str) -> String {
    let user = segment(user.as_str());
    // Each segment is encoded once more if it needs to be, `..` among them.
    let path = Path::from_iter([kind, environment.word(), user.as_str(), run.as_str(), name]);
    path.into()
}

/// A user as a segment: everything but letters, digits and `@._-` in hexadecimal, and a digest if that is too long for
/// a file's name.
fn segment(user: &str) -> String {
    let text = escaped(user, '=', b"@._-");
    if text.is_empty() || text.len() > MAX_SEGMENT {
        return format!("=sha256-{}", hex(&Sha256::digest(user)));
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
            key("graphs", Environment::Prod, &user, &run, "2-ab.json"),
            "graphs/prod/u1/c8a91e/2-ab.json"
        );
        assert_eq!(
            incoming_upload(Environment::Dev, &user, &run, IacFormat::Json),
            "uploads/dev/u1/c8a91e/incoming-main.tf.json"
        );
    }

    proptest! {
        #[test]
        fn a_users_keys_are_below_no_other_users(a in ".{0,90}", b in "[./a=%~ -]{0,6}") {
            let run = RunId::parse("r").unwrap();
            let of = |user: &str| incoming_upload(Environment::Dev, &UserId::new(user), &run, IacFormat::Hcl);
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
