//! Findings, and the rules that make them.

pub use crate::services::graph_runs::model::Severity;

impl Severity {
    /// As SARIF has it.
    pub fn level(self) -> &'static str {
        match self {
            Severity::High => "error",
            Severity::Medium => "warning",
            Severity::Low => "note",
        }
    }
}

/// A risk.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// How severe it is.
    pub severity: Severity,
    /// The node.
    pub node: String,
    /// The rule.
    pub rule: &'static str,
    /// What was found, for people.
    pub message: String,
}

/// A rule, for people.
#[derive(Debug, PartialEq, Eq)]
pub struct RuleText {
    /// Its id.
    pub id: &'static str,
    /// What it finds.
    pub title: &'static str,
    /// What to do about it.
    pub remediation: &'static str,
}

/// Every rule that makes findings.
const RULES: [RuleText; 7] = [
    RuleText {
        id: "exposed-uses-datastore",
        title: "An exposed service uses a datastore",
        remediation: "Put a private service between the two, and give the exposed one only the access that it needs.",
    },
    RuleText {
        id: "open-security-group",
        title: "A security group lets the whole internet in",
        remediation: "Replace 0.0.0.0/0 and ::/0 by the addresses or security groups that need access.",
    },
    RuleText {
        id: "public-bucket",
        title: "Anyone can read or write a bucket",
        remediation: "Remove the public ACL or policy statement, and set all four arguments of aws_s3_bucket_public_access_block to true.",
    },
    RuleText {
        id: "public-datastore",
        title: "The internet reaches a datastore",
        remediation: "Set publicly_accessible to false, or restrict access to private networks.",
    },
    RuleText {
        id: "public-queue",
        title: "Anyone can use a queue or a topic",
        remediation: "Name the principals in the policy that need access.",
    },
    RuleText {
        id: "unauthenticated-endpoint",
        title: "An endpoint on the internet takes requests without authentication",
        remediation: "Set authorization_type to AWS_IAM, or put an authenticating gateway in front.",
    },
    RuleText {
        id: "unencrypted-datastore",
        title: "A datastore is not encrypted at rest",
        remediation: "Turn on encryption at rest. Most datastores have to be replaced for it: restore them from an encrypted snapshot.",
    },
];

/// The text of a rule.
pub fn rule_text(id: &str) -> Option<&'static RuleText> {
    RULES.iter().find(|rule| rule.id == id)
}
