//! Someone leaves: their key is removed from the key file, and one command revokes what they hold beside it.

use serde_json::json;

use crate::process::{Ended, Process, command, ended};

/// What has happened to the calendar address of an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Address {
    Never,
    Created,
    Renewed,
    Revoked,
}

const ADDRESSES: [Address; 4] = [
    Address::Never,
    Address::Created,
    Address::Renewed,
    Address::Revoked,
];

/// Whose access is revoked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    Ada,
    All,
}

/// A server with a key of each owner.
struct Team {
    folder: tempfile::TempDir,
    server: Process,
    keys: Vec<String>,
}

const NAMES: [&str; 2] = ["ada", "auth0|ben"];

impl Team {
    async fn start(has_owners: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("api-keys");
        let mut keys = Vec::new();
        let mut lines = String::new();
        for (number, name) in NAMES.iter().enumerate() {
            let key = format!("key-{number}");
            let mut make = command(&["api-key", &key, "--access", "write"]);
            if has_owners {
                make.args(["--owner", name]);
            }
            let made = ended(make).await;
            let mut secrets = made.log.split_whitespace();
            keys.push(
                secrets
                    .find(|word| word.starts_with("trk_"))
                    .unwrap()
                    .to_owned(),
            );
            lines += &made.output;
        }
        std::fs::write(&file, lines).unwrap();
        let data = folder.path().join("data");
        let tenancy = if has_owners { "owner" } else { "single" };
        let [data, file] = [data, file].map(|path| path.to_str().unwrap().to_owned());
        let arguments = ["--data", &data, "--api-keys", &file, "--tenancy", tenancy];
        let server = Process::start_with(&arguments, &[]).await;
        Self {
            server,
            folder,
            keys,
        }
    }

    async fn mutate(&self, who: usize, name: &str, fields: &str) -> serde_json::Value {
        let document =
            format!("mutation {{ {name}(input: {{}}) {{ {fields} userErrors {{ code }} }} }}");
        let headers = [("x-api-key", self.keys[who].as_str())];
        let answer = self
            .server
            .post(&json!({ "query": document }), &headers)
            .await;
        let payload = answer.body()["data"][name].clone();
        assert_eq!(payload["userErrors"], json!([]), "{name} {}", answer.text);
        payload
    }

    /// The paths that an owner has been given, the last of which leads to the calendar if `address` says so.
    async fn prepare(&self, who: usize, address: Address) -> Vec<String> {
        let mut paths = Vec::new();
        let names = match address {
            Address::Never => vec![],
            Address::Created | Address::Revoked => vec!["createCalendarAddress"],
            Address::Renewed => vec!["createCalendarAddress", "renewCalendarAddress"],
        };
        for name in names {
            let made = self.mutate(who, name, "path").await;
            paths.push(made["path"].as_str().unwrap().to_owned());
        }
        if address == Address::Revoked {
            self.mutate(who, "revokeCalendarAddress", "").await;
        }
        paths
    }

    async fn statuses(&self, paths: &[String]) -> Vec<u16> {
        let mut statuses = Vec::new();
        for path in paths {
            statuses.push(self.server.get(path).await.status);
        }
        statuses
    }

    async fn revoke(&self, arguments: &[&str]) -> Ended {
        let data = self.folder.path().join("data");
        let mut revoke = command(&["revoke-access"]);
        revoke.args(arguments).arg("--data").arg(data);
        ended(revoke).await
    }
}

/// What the addresses of an owner answer.
fn expected(address: Address, is_revoked: bool) -> Vec<u16> {
    match address {
        Address::Never => vec![],
        Address::Created if is_revoked => vec![404],
        Address::Created => vec![200],
        Address::Renewed if is_revoked => vec![404, 404],
        Address::Renewed => vec![404, 200],
        Address::Revoked => vec![404],
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_command_revokes_what_an_owner_holds_and_nothing_of_others() {
    for whose in [Whose::Ada, Whose::All] {
        for adas in ADDRESSES {
            let team = Team::start(true).await;
            // An owner without anything is known, too.
            for who in 0..NAMES.len() {
                let document = r#"mutation { createApplication(input: { companyName: "c", positionTitle: "t",
                    status: APPLIED }) { application { id } } }"#;
                let headers = [("x-api-key", team.keys[who].as_str())];
                team.server
                    .post(&json!({ "query": document }), &headers)
                    .await;
            }
            let ada = team.prepare(0, adas).await;
            let ben = team.prepare(1, Address::Created).await;
            assert_eq!(team.statuses(&ada).await, expected(adas, false));
            let arguments = match whose {
                Whose::Ada => vec!["--owner", "ada"],
                Whose::All => vec!["--all-owners"],
            };
            for _twice in 0..2 {
                let revoked = team.revoke(&arguments).await;
                assert!(revoked.success, "{revoked:?}");
                assert!(revoked.output.contains("\"ada\""), "{revoked:?}");
            }
            let bens = expected(Address::Created, whose == Whose::All);
            assert_eq!(
                team.statuses(&ada).await,
                expected(adas, true),
                "{whose:?} {adas:?}"
            );
            assert_eq!(team.statuses(&ben).await, bens, "{whose:?} {adas:?}");
            // Whoever has a key makes a new one.
            let new = team.prepare(0, Address::Created).await;
            assert_eq!(team.statuses(&new).await, [200]);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_without_owners_has_one_address_to_revoke() {
    for address in ADDRESSES {
        let team = Team::start(false).await;
        let paths = team.prepare(0, address).await;
        assert_eq!(team.statuses(&paths).await, expected(address, false));
        let revoked = team.revoke(&[]).await;
        assert!(revoked.success, "{revoked:?}");
        assert_eq!(
            team.statuses(&paths).await,
            expected(address, true),
            "{address:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_who_is_not_there_is_reported() {
    let team = Team::start(true).await;
    let paths = team.prepare(0, Address::Created).await;
    for arguments in [&["--owner", "Ada"][..], &["--owner", "ada "], &[]] {
        let refused = team.revoke(arguments).await;
        assert!(!refused.success, "{arguments:?} {refused:?}");
    }
    assert_eq!(team.statuses(&paths).await, [200]);
}

/// How a line of a key file may name its owner, and end.
const ENDS: [&str; 6] = ["\n", "\r\n", " \n", "\t\n", " # a laptop\n", ""];

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_removed_however_their_lines_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("api-keys");
    for owner in [
        "ben",
        "auth0|65a5f0c2",
        "ben@example.com",
        "Ben Smith",
        "bén",
    ] {
        for end in ENDS {
            let mut lines = String::from("# Keys of the team\n\n");
            let other = format!("{owner}2");
            for (name, owner) in [
                ("others", other.as_str()),
                ("first", owner),
                ("second", owner),
            ] {
                let made = ended(command(&["api-key", name, "--owner", owner])).await;
                lines += made.output.trim_end();
                lines += if name == "second" { end } else { "\n" };
            }
            std::fs::write(&file, &lines).unwrap();
            let of_owner = ["remove-api-keys", file.to_str().unwrap(), "--owner", owner];
            let removed = ended(command(&of_owner)).await;
            assert!(removed.success, "{removed:?}");
            assert_eq!(removed.output, "first: removed\nsecond: removed\n");
            let rest = std::fs::read_to_string(&file).unwrap();
            assert!(lines.starts_with(&rest), "{owner:?} {end:?}: {rest}");
            assert_eq!(rest.lines().count(), 3, "{owner:?} {end:?}: {rest}");

            // What is not there is reported, and the last key stays.
            let again = ended(command(&of_owner)).await;
            assert!(
                !again.success && again.log.contains("has no key of"),
                "{again:?}"
            );
            let of_name = [
                "remove-api-keys",
                file.to_str().unwrap(),
                "--name",
                "others",
            ];
            let last = ended(command(&of_name)).await;
            assert!(
                !last.success && last.log.contains("would hold no API key"),
                "{last:?}"
            );
            assert_eq!(std::fs::read_to_string(&file).unwrap(), rest);
        }
    }
}
