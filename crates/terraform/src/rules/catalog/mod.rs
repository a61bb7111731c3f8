//! Every rule, one to a file.

mod exposed_uses_datastore;
mod iam_admin;
mod iam_open_trust;
mod iam_pass_role;
mod iam_wildcard_action;
mod iam_wildcard_resource;
mod internet_exposed;
mod open_security_group;
mod public_bucket;
mod public_datastore;
mod public_policy;
mod public_queue;
mod unauthenticated_endpoint;
mod unencrypted_datastore;

use super::rule::Rule;

/// Every rule, by its id.
pub const RULES: [&Rule; 14] = [
    &exposed_uses_datastore::RULE,
    &iam_admin::RULE,
    &iam_open_trust::RULE,
    &iam_pass_role::RULE,
    &iam_wildcard_action::RULE,
    &iam_wildcard_resource::RULE,
    &internet_exposed::RULE,
    &open_security_group::RULE,
    &public_bucket::RULE,
    &public_datastore::RULE,
    &public_policy::RULE,
    &public_queue::RULE,
    &unauthenticated_endpoint::RULE,
    &unencrypted_datastore::RULE,
];

/// The rule with an id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.into_iter().find(|rule| rule.id == id)
}
