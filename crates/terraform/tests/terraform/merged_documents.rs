//! Documents of policies that are merged: a statement replaces those with its id.

use crate::unclear::assert_outcome;

/// Whom a statement lets in.
const EVERYONE: &str = "*";
const ONE: &str = "arn:aws:iam::123456789012:root";

fn statement(id: &str, who: &str) -> String {
    let id = if id.is_empty() {
        String::new()
    } else {
        format!("    sid = {id}\n")
    };
    format!(
        "  statement {{\n{id}    actions = [\"sqs:*\"]\n    resources = [\"*\"]\n    principals {{\n      type = \"AWS\"\n      identifiers = [\"{who}\"]\n    }}\n  }}\n"
    )
}

fn json(id: &str, who: &str) -> String {
    let id = if id.is_empty() { "null" } else { id };
    format!(
        "jsonencode({{ Statement = [{{ Sid = {id}, Effect = \"Allow\", Principal = {{ AWS = \"{who}\" }}, Action = \"sqs:*\", Resource = \"*\" }}] }})"
    )
}

/// Whether a statement stays, if a later one has an id as well.
fn stays(first: &str, second: &str) -> bool {
    let is_known = first.starts_with('"') && first != "\"\"";
    !is_known || first != second
}

#[test]
fn a_statement_replaces_those_with_its_id_and_no_others() {
    let ids = ["", "\"\"", "\"x\"", "\"y\"", "var.id"];
    for argument in [
        "source_policy_documents",
        "source_json",
        "override_policy_documents",
        "override_json",
    ] {
        for (first, second) in ids.iter().flat_map(|one| ids.map(|other| (*one, other))) {
            for (public, private) in [(EVERYONE, ONE), (ONE, EVERYONE)] {
                for count in ["", "  count = var.n\n"] {
                    for is_json in [false, true] {
                        if is_json && !count.is_empty() {
                            continue;
                        }
                        // The other document has the first statement if it comes first.
                        let is_source = argument.starts_with("source");
                        let (of_other, own) = if is_source {
                            ((first, public), (second, private))
                        } else {
                            ((second, private), (first, public))
                        };
                        let reference = if count.is_empty() {
                            "data.aws_iam_policy_document.b.json"
                        } else {
                            "data.aws_iam_policy_document.b[0].json"
                        };
                        let other = if is_json {
                            json(of_other.0, of_other.1)
                        } else {
                            reference.to_owned()
                        };
                        let list = if argument.ends_with("json") {
                            other
                        } else {
                            format!("[{other}]")
                        };
                        let text = format!(
                            "variable \"id\" {{}}\nvariable \"n\" {{}}\ndata \"aws_iam_policy_document\" \"b\" {{\n{count}{}}}\ndata \"aws_iam_policy_document\" \"a\" {{\n  {argument} = {list}\n{}}}\nresource \"aws_sqs_queue\" \"q\" {{ policy = data.aws_iam_policy_document.a.json }}\n",
                            statement(of_other.0, of_other.1),
                            statement(own.0, own.1),
                        );
                        // What may not be there replaces nothing, and what is there replaces it.
                        let is_replaced = !stays(first, second) && (count.is_empty() || is_source);
                        let is_public = private == EVERYONE || !is_replaced;
                        let expected = if is_public { "found" } else { "clear" };
                        assert_outcome(&text, ("public-queue", "aws_sqs_queue.q"), expected);
                    }
                }
            }
        }
    }
}
