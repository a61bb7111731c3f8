//! An endpoint on the internet takes requests without authentication.

use crate::finding::Severity;
use crate::rules::rule::Rule;

pub const RULE: Rule = Rule {
    id: "unauthenticated-endpoint",
    severity: Severity::Medium,
    weakness: 306,
    title: "An endpoint on the internet takes requests without authentication",
    remediation: "Set authorization_type to AWS_IAM or to an authorizer, or put an authenticating gateway in front.",
    details: "Looks at URLs of functions, routes of HTTP APIs and WebSockets, and methods of REST APIs. A method that needs an API key, or that the policy of its API does not let everyone call, is clear.",
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
