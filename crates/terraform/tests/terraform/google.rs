//! Machines, functions and identities of Google: what decides whether the internet gets in.

use crate::unclear::{assert_outcome, outcome, report_of};
use trestle_terraform::Options;

const EXPOSED: &str = "internet-exposed";

/// How an interface or a firewall names the network, and what else that needs.
const NETWORKS: [(&str, &str); 6] = [
    ("network = google_compute_network.n.name", ""),
    ("network = google_compute_network.n.id", ""),
    ("network = google_compute_network.n.self_link", ""),
    ("network = \"n\"", ""),
    (
        "network = local.network",
        "locals { network = google_compute_network.n.id }\n",
    ),
    (
        "network = var.network",
        "variable \"network\" { default = \"n\" }\n",
    ),
];
/// The same by a subnetwork, which a firewall does not name.
const SUBNETS: [&str; 3] = [
    "subnetwork = google_compute_subnetwork.s.id",
    "subnetwork = google_compute_subnetwork.s.name",
    "subnetwork = \"s\"",
];
/// Interfaces: their addresses, and whether these are public.
const ADDRESSES: [(&str, &str); 4] = [
    ("", "clear"),
    ("access_config {}", "found"),
    ("ipv6_access_config { network_tier = \"PREMIUM\" }", "found"),
    (
        "dynamic \"access_config\" {\n  for_each = var.x\n  content {}\n}",
        "undecided",
    ),
];
/// What a firewall lets in, and from where.
const RULES: [(&str, &str); 6] = [
    (
        "source_ranges = [\"0.0.0.0/0\"]\nallow { protocol = \"tcp\" }",
        "found",
    ),
    (
        "source_ranges = [\"10.0.0.0/8\"]\nallow { protocol = \"tcp\" }",
        "clear",
    ),
    (
        "source_ranges = [var.x]\nallow { protocol = \"tcp\" }",
        "undecided",
    ),
    (
        "source_ranges = [\"0.0.0.0/0\"]\ndeny { protocol = \"tcp\" }",
        "clear",
    ),
    (
        "source_ranges = [\"0.0.0.0/0\"]\nallow { protocol = \"tcp\" }\ndisabled = true",
        "clear",
    ),
    (
        "direction = \"EGRESS\"\ndestination_ranges = [\"0.0.0.0/0\"]\nallow { protocol = \"tcp\" }",
        "clear",
    ),
];
/// The targets of a firewall, the arguments of a machine, and whether the one is about the other.
const TARGETS: [(&str, &str, &str); 10] = [
    ("", "", "found"),
    ("target_tags = [\"web\"]", "tags = [\"web\"]", "found"),
    (
        "target_tags = [\"web\", \"db\"]",
        "tags = [\"a\", \"db\"]",
        "found",
    ),
    ("target_tags = [\"web\"]", "tags = [\"db\"]", "clear"),
    ("target_tags = [\"web\"]", "", "clear"),
    ("target_tags = [\"web\"]", "tags = var.x", "undecided"),
    ("target_tags = [var.x]", "tags = [\"db\"]", "undecided"),
    (
        "target_service_accounts = [google_service_account.a.email]",
        "service_account { email = google_service_account.a.email }",
        "found",
    ),
    (
        "target_service_accounts = [google_service_account.a.email]",
        "service_account { scopes = [] }",
        "undecided",
    ),
    (
        "target_service_accounts = [google_service_account.a.email]",
        "",
        "clear",
    ),
];

/// The outcome of several conditions all of which have to hold.
fn all(outcomes: &[&'static str]) -> &'static str {
    let has = |one: &str| outcomes.contains(&one);
    match (has("clear"), has("undecided")) {
        (true, _) => "clear",
        (false, true) => "undecided",
        (false, false) => "found",
    }
}

fn machine(network: &str, address: &str, rest: &str) -> String {
    format!(
        "resource \"google_compute_instance\" \"m\" {{\n  name = \"m\"\n{rest}\nnetwork_interface {{\n{network}\n{address}\n}}\n}}\n"
    )
}

const NETWORK: &str = "variable \"x\" {}\nresource \"google_compute_network\" \"n\" { name = \"n\" }\nresource \"google_compute_subnetwork\" \"s\" {\n  name = \"s\"\n  network = google_compute_network.n.id\n}\nresource \"google_service_account\" \"a\" { account_id = \"a\" }\n";

fn firewall(network: &str, rule: &str, targets: &str) -> String {
    format!("resource \"google_compute_firewall\" \"f\" {{\n{network}\n{rule}\n{targets}\n}}\n")
}

#[test]
fn a_machine_is_reached_if_a_firewall_of_its_network_lets_the_internet_in() {
    let mut wrong = Vec::new();
    let by_network = NETWORKS.iter().copied();
    let by_subnet = SUBNETS.iter().map(|subnet| (*subnet, ""));
    for (interface, more) in by_network.chain(by_subnet) {
        for (named, also) in NETWORKS {
            for (address, of_address) in ADDRESSES {
                for (rule, of_rule) in RULES {
                    let (machine, firewall) =
                        (machine(interface, address, ""), firewall(named, rule, ""));
                    let also = if also == more { "" } else { also };
                    let text = format!("{NETWORK}{more}{also}{machine}{firewall}");
                    let report = report_of("main.tf", &text, &Options::default());
                    let found = outcome(&report, EXPOSED, "google_compute_instance.m");
                    if found != all(&[of_address, of_rule]) {
                        wrong.push(format!("{found}: {text}"));
                    }
                }
            }
        }
    }
    let count = wrong.len();
    wrong.truncate(5);
    assert!(wrong.is_empty(), "{count}:\n{}", wrong.join("\n"));
}

#[test]
fn a_firewall_is_about_its_targets() {
    let (network, _) = NETWORKS[0];
    for (targets, own, of_targets) in TARGETS {
        for (rule, of_rule) in RULES {
            let machine = machine(network, "access_config {}", own);
            let text = format!("{NETWORK}{machine}{}", firewall(network, rule, targets));
            let expected = all(&[of_targets, of_rule]);
            assert_outcome(&text, (EXPOSED, "google_compute_instance.m"), expected);
        }
    }
}

#[test]
fn what_is_not_in_the_files_leaves_a_machine_undecided() {
    let open = "source_ranges = [\"0.0.0.0/0\"]\nallow { protocol = \"tcp\" }";
    let of = "network = google_compute_network.n.id";
    let association = "resource \"google_compute_network_firewall_policy_association\" \"p\" { attachment_target = google_compute_network.n.id }\n";
    for (interface, firewalls, expected) in [
        ("network = \"default\"", String::new(), "undecided"),
        ("network = \"default\"", firewall(of, open, ""), "undecided"),
        (
            "network = \"default\"",
            firewall("network = \"default\"", open, ""),
            "found",
        ),
        ("network = var.x", firewall(of, open, ""), "undecided"),
        ("subnetwork = var.x", firewall(of, open, ""), "undecided"),
        (
            "subnetwork = data.google_compute_subnetwork.s.id",
            firewall(of, open, ""),
            "undecided",
        ),
        (of, String::new(), "clear"),
        (of, firewall("network = var.x", open, ""), "undecided"),
        (of, firewall("network = \"default\"", open, ""), "clear"),
        (
            of,
            firewall(
                "count = var.x\nnetwork = google_compute_network.n.id",
                open,
                "",
            ),
            "undecided",
        ),
        (
            of,
            format!("{association}{}", firewall(of, open, "")),
            "undecided",
        ),
        (of, association.to_owned(), "undecided"),
    ] {
        let text = format!(
            "{NETWORK}{}{firewalls}",
            machine(interface, "access_config {}", "")
        );
        assert_outcome(&text, (EXPOSED, "google_compute_instance.m"), expected);
    }
}

/// A service that only its invokers may call: its type and body, and the types that give the role, with what names it.
struct Invoked {
    kind: &'static str,
    body: &'static str,
    by: &'static [(&'static str, &'static str)],
}

const INVOKED: [Invoked; 4] = [
    Invoked {
        kind: "google_cloud_run_service",
        body: "",
        by: &[("google_cloud_run_service", "service")],
    },
    Invoked {
        kind: "google_cloud_run_v2_service",
        body: "",
        by: &[
            ("google_cloud_run_service", "service"),
            ("google_cloud_run_v2_service", "name"),
        ],
    },
    Invoked {
        kind: "google_cloudfunctions_function",
        body: "trigger_http = true",
        by: &[("google_cloudfunctions_function", "cloud_function")],
    },
    Invoked {
        kind: "google_cloudfunctions2_function",
        body: "",
        by: &[
            ("google_cloudfunctions2_function", "cloud_function"),
            ("google_cloud_run_service", "service"),
            ("google_cloud_run_v2_service", "name"),
        ],
    },
];
/// Who is the invoker, and whether everyone is.
const WHO: [(&str, &str); 6] = [
    ("\"allUsers\"", "found"),
    ("\"allAuthenticatedUsers\"", "found"),
    ("\"user:ann@example.com\"", "clear"),
    ("google_service_account.a.member", "clear"),
    (
        "\"serviceAccount:${google_service_account.a.email}\"",
        "clear",
    ),
    ("var.x", "undecided"),
];

/// The three forms in which a role is given.
fn forms(of: &str, names: &str, who: &str) -> [(String, String); 3] {
    let policy = format!(
        "jsonencode({{ bindings = [{{ role = \"roles/run.invoker\", members = [{who}] }}] }})"
    );
    [
        ("_iam_member", format!("role = \"r\"\n  member = {who}")),
        ("_iam_binding", format!("role = \"r\"\n  members = [{who}]")),
        ("_iam_policy", format!("policy_data = {policy}")),
    ]
    .map(|(end, body)| {
        let kind = format!("{of}{end}");
        let text = format!("resource \"{kind}\" \"g\" {{\n  {names}\n  {body}\n}}\n");
        (kind, text)
    })
}

#[test]
fn a_service_of_google_is_reached_if_everyone_may_invoke_it() {
    let needed =
        "variable \"x\" {}\nresource \"google_service_account\" \"a\" { account_id = \"a\" }\n";
    for Invoked { kind, body, by } in INVOKED {
        let service =
            format!("{needed}resource \"{kind}\" \"s\" {{\n  name = \"s\"\n  {body}\n}}\n");
        assert_outcome(&service, (EXPOSED, &format!("{kind}.s")), "clear");
        for (of, argument) in by {
            for (who, expected) in WHO {
                for named in [format!("{kind}.s.name"), "\"s\"".to_owned()] {
                    for (_, form) in forms(of, &format!("{argument} = {named}"), who) {
                        let text = format!("{service}{form}");
                        assert_outcome(&text, (EXPOSED, &format!("{kind}.s")), expected);
                    }
                }
                // That of another one says nothing of this one.
                for (_, form) in forms(of, &format!("{argument} = {of}.other.name"), who) {
                    let other = format!("resource \"{of}\" \"other\" {{ name = \"other\" }}\n");
                    let text = format!("{service}{other}{form}");
                    assert_outcome(&text, (EXPOSED, &format!("{kind}.s")), "clear");
                }
            }
        }
    }
}

#[test]
fn everyone_as_a_member_is_as_severe_in_every_form() {
    for of in [
        "google_cloud_run_service",
        "google_cloud_run_v2_service",
        "google_cloudfunctions_function",
        "google_cloudfunctions2_function",
        "google_kms_crypto_key",
        "google_pubsub_topic",
        "google_project",
        "google_storage_bucket",
        "google_storage_managed_folder",
        "google_bigquery_dataset",
    ] {
        let mut said = Vec::new();
        for (kind, form) in forms(of, "", "\"allUsers\"") {
            let report = report_of("main.tf", &form, &Options::default());
            let findings = report["findings"].as_array().unwrap().iter();
            let mut of_node = findings.filter(|one| one["node"] == format!("{kind}.g"));
            let one = of_node
                .next()
                .unwrap_or_else(|| panic!("nothing is found: {form}"));
            said.push((one["rule"].clone(), one["severity"].clone()));
        }
        assert!(said.iter().all(|one| *one == said[0]), "{of}: {said:?}");
    }
}

#[test]
fn the_identity_of_a_service_is_never_everyone() {
    let made = [
        ("google_project_service_identity", "member"),
        ("google_service_account", "member"),
        ("google_logging_project_sink", "writer_identity"),
        ("google_logging_folder_sink", "writer_identity"),
    ];
    for (kind, attribute) in made {
        for (declared, path) in [
            (
                format!("resource \"{kind}\" \"i\" {{}}\n"),
                format!("{kind}.i.{attribute}"),
            ),
            (
                format!("resource \"{kind}\" \"i\" {{ count = 1 }}\n"),
                format!("{kind}.i[0].{attribute}"),
            ),
            (
                format!("resource \"{kind}\" \"i\" {{ for_each = toset([\"a\"]) }}\n"),
                format!("{kind}.i[\"a\"].{attribute}"),
            ),
            (
                format!("data \"{kind}\" \"i\" {{}}\n"),
                format!("data.{kind}.i.{attribute}"),
            ),
        ] {
            for (granted, form) in forms("google_project", "", &path) {
                let node = format!("{granted}.g");
                assert_outcome(
                    &format!("{declared}{form}"),
                    ("public-policy", &node),
                    "clear",
                );
            }
        }
    }
    // What gives a role repeats its member, which may be everyone.
    let member =
        "variable \"x\" {}\nresource \"google_project_iam_member\" \"i\" { member = var.x }\n";
    for (granted, form) in forms("google_project", "", "google_project_iam_member.i.member") {
        let node = format!("{granted}.g");
        assert_outcome(
            &format!("{member}{form}"),
            ("public-policy", &node),
            "undecided",
        );
    }
}
