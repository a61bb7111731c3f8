//! An endpoint on the internet takes requests without authentication.

use crate::finding::Severity;
use crate::rules::rule::Rule;

pub const RULE: Rule = Rule {
    id: "unauthenticated-endpoint",
    severity: Severity::Medium,
    weakness: 306,
    title: "An endpoint on the internet takes requests without authentication",
    remediation: "Set authorization_type to AWS_IAM, or put an authenticating gateway in front.",
    details: "Looks at URLs of functions.",
    bad: r#"resource "aws_lambda_function_url" "a" {
  function_name      = "api"
  authorization_type = "NONE"
}
"#,
    good: r#"resource "aws_lambda_function_url" "a" {
  function_name      = "api"
  authorization_type = "AWS_IAM"
}
"#,
};
