//! Resources that keep everyone out of another one, whatever its own arguments are.

use super::super::answers::Answers;
use super::super::look::{Answer, at, look, not};
use super::super::named::{ACCOUNT, GOOGLE_BUCKET, Names, Subject};
use super::super::protects::{for_named, together, unless};
use super::super::table::Test;
use super::super::types::{NESTED, PUBLIC_NETWORK};
use crate::graph::{Built, Values};
use crate::value::Value;

/// What keeps everyone out.
struct Guard {
    /// The type of the resource that may let everyone in.
    kind: &'static str,
    /// The argument that names the resource that keeps them out.
    path: &'static str,
    /// The type of that resource.
    subject: Subject,
    /// What has to hold.
    test: Test,
}

const fn of_account(path: &'static str, test: Test) -> Guard {
    Guard {
        kind: "azurerm_storage_container",
        path,
        subject: ACCOUNT,
        test,
    }
}

const fn of_bucket(kind: &'static str) -> Guard {
    Guard {
        kind,
        path: "bucket",
        subject: GOOGLE_BUCKET,
        test: Test::Equals("public_access_prevention", "enforced"),
    }
}

/// Whether an account keeps its containers private.
const PRIVATE_ITEMS: Test = Test::Is(NESTED, false, None);
const PRIVATE_NETWORK: Test = Test::Not(&PUBLIC_NETWORK);

const GUARDS: [Guard; 13] = [
    of_account("storage_account_id", PRIVATE_ITEMS),
    of_account("storage_account_id", PRIVATE_NETWORK),
    of_account("storage_account_name", PRIVATE_ITEMS),
    of_account("storage_account_name", PRIVATE_NETWORK),
    of_bucket("google_storage_bucket_access_control"),
    of_bucket("google_storage_bucket_acl"),
    of_bucket("google_storage_bucket_iam_binding"),
    of_bucket("google_storage_bucket_iam_member"),
    of_bucket("google_storage_bucket_iam_policy"),
    of_bucket("google_storage_default_object_access_control"),
    of_bucket("google_storage_default_object_acl"),
    of_bucket("google_storage_object_access_control"),
    of_bucket("google_storage_object_acl"),
];

/// The type of what has the rules of the network of an account.
const NETWORK_RULES: &str = "azurerm_storage_account_network_rules";
const ACCOUNT_TYPE: &str = "azurerm_storage_account";

/// Accounts of Azure Storage whose firewall keeps the internet out, by their own arguments or by a resource.
#[derive(Debug, Default)]
pub struct Firewalls(Answers);

impl Firewalls {
    /// Those of all accounts.
    pub fn of(built: &Built, names: &Names, resources: &[(String, String)]) -> Self {
        let mut firewalls = Self::default();
        for (id, kind) in resources {
            if kind == ACCOUNT_TYPE {
                let (action, addresses) =
                    ("network_rules.default_action", "network_rules.ip_rules");
                let closes = together(built, id, |values| closes(values, action, addresses));
                firewalls.0.add(id, closes);
            } else if kind == NETWORK_RULES {
                let closes = together(built, id, |of| closes(of, "default_action", "ip_rules"));
                for values in built.instances(id).iter() {
                    let path = "storage_account_id";
                    let named = names.at(built, id, values, path, ACCOUNT);
                    for account in &named.nodes {
                        let closes =
                            for_named(built, id, "account", &named, account, closes.clone());
                        firewalls.0.add(account, closes);
                    }
                }
            }
        }
        firewalls
    }
}

/// Whether the rules of a network let in only the addresses that they name.
fn closes(values: &Values, action: &'static str, addresses: &'static str) -> Answer {
    not(look(values, Test::Admits(action, "Deny", addresses)))
}

/// Whether what a resource is about keeps everyone out.
pub fn shut(
    built: &Built,
    names: &Names,
    firewalls: &Firewalls,
    id: &str,
    values: &Values,
    kind: &str,
) -> Answer {
    let guards = GUARDS.iter().filter(|guard| guard.kind == kind);
    let mut answer = match kind {
        ACCOUNT_TYPE => firewalls.0.of(id),
        _ => Answer::No,
    };
    for guard in guards {
        let named = names.at(built, id, values, guard.path, guard.subject);
        let doubt = named
            .only()
            .is_none()
            .then(|| format!("What `{id}` is about is not known: `{}`.", guard.path));
        if named.nodes.is_empty() && !is_literal(values, guard.path) {
            // Nothing is known of it, unless its own default decides.
            let default = look(&Values::new(), guard.test);
            answer = answer.or(match (default, doubt.clone()) {
                (Answer::Unknown(_), Some(reason)) => Answer::Unknown(reason),
                (default, _) => default,
            });
        }
        for target in &named.nodes {
            let guards = together(built, target, |values| look(values, guard.test));
            let closes = guards.or(firewalls.0.of(target));
            answer = answer.or(unless(closes, doubt.clone()));
        }
    }
    answer
}

/// Whether all that an argument names is named by a text, or nothing is.
fn is_literal(values: &Values, path: &str) -> bool {
    let mut named = at(values, path).into_iter();
    named.all(|value| matches!(value, Value::Text(_)))
}
