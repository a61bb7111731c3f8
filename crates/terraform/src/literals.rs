//! Nothing that is stored or printed has a literal of an expression that is not decided, whatever its form.

use proptest::prelude::*;

use crate::{Options, file, report, sarif};

/// What every text, key and number of the generated expressions has in it.
const TEXT: &str = "zqtoken";
const NUMBER: &str = "7700770077";

/// An expression in which `@` stands for the text of a literal or a key, and `#` for a number.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        r#""@""#,
        "#",
        "var.unknown",
        r#"var.unknown["@"]"#,
        r#"local.unknown["@"].name"#,
        r#"aws_sqs_queue.q["@"].arn"#,
        r#"data.aws_ami.none["@"].id"#,
        r#"module.gone["@"].ids[#]"#,
        r#""@${var.unknown}-@""#,
        r#""$${@}""#,
        r#""a\"@\\""#,
        r#"provider::time::parse("@")"#,
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(4, 24, 3, |of| {
        let forms = prop::sample::select(vec![
            r#"f(A, "@", B)"#,
            r#"[A, "@", #, B]"#,
            r#"{ @ = A, "@" = B, ("@") = # }"#,
            r#"{ @-a = A }["@"]"#,
            r#"(A)["@"]"#,
            r#"(A)[*]["@"]"#,
            r#"(A == "@" ? B : #)"#,
            r#""@${A}@$${@}${B}""#,
            r#""{\"@\":${A},\"@\\\"@\":\"${B}\"}""#,
            r#""%{ if A == "@" }@%{ else }@%{ endif }""#,
            r#""%{ for a in A }\"@%{ endfor }\"@""#,
            r#"[for k, v in A : v if v == "@"]"#,
            r#"{for k, v in A : "@${k}" => B...}"#,
            r#"try(A, var.unknown["@"].b)"#,
            r#"lookup(A, "@", #)"#,
            r#"merge(A, { "@" = B })"#,
            r#"jsonencode({ @ = A })"#,
            r#"nonsensitive(sensitive(A))"#,
            "(A + # - #)",
            "(!A)",
        ]);
        (forms, of.clone(), of).prop_map(|(form, a, b)| form.replace('A', &a).replace('B', &b))
    })
}

/// An expression whose value the files do not tell.
fn undecided() -> impl Strategy<Value = String> {
    let forms = prop::sample::select(vec![
        "unknown_function(A)",
        "var.unknown[A]",
        r#"(A == var.unknown["@"])"#,
        r#""@${var.unknown}${A}""#,
        r#""{\"@\":\"@\",\"P\":${var.unknown}${A}}""#,
        r#"{ "@" = A }["@"]"#,
        r#"{ @ = A }["@"]"#,
        r#"aws_sqs_queue.none["@"].arn"#,
        "aws_sqs_queue.none[A].arn",
        r#"module.gone["@"].id"#,
        "[for one in var.unknown : A]",
        r#"var.unknown["@"]["@"][#]"#,
    ]);
    (forms, expression()).prop_map(|(form, inner)| form.replace('A', &inner))
}

/// Resources in which `~` stands for an expression.
const PLACES: [&str; 25] = [
    "resource \"aws_lb\" \"a\" {\n internal = ~\n}",
    "resource \"aws_s3_bucket\" \"a\" {\n acl = ~\n}",
    "resource \"aws_s3_bucket\" \"b\" {\n policy = ~\n}",
    "resource \"aws_s3_bucket\" \"c\" {\n tags = { Name = ~ }\n}",
    "resource \"aws_s3_bucket_policy\" \"a\" {\n bucket = ~\n policy = ~\n}",
    "resource \"aws_security_group\" \"a\" {\n ingress {\n cidr_blocks = ~\n from_port = ~\n }\n}",
    "resource \"aws_security_group\" \"b\" {\n dynamic \"ingress\" {\n for_each = ~\n content {\n cidr_blocks = [ingress.value]\n }\n }\n}",
    "resource \"aws_security_group_rule\" \"a\" {\n type = \"ingress\"\n security_group_id = ~\n cidr_blocks = [~]\n}",
    "resource \"aws_instance\" \"a\" {\n count = ~\n}",
    "resource \"aws_instance\" \"b\" {\n vpc_security_group_ids = [~]\n subnet_id = ~\n user_data = ~\n}",
    "resource \"aws_instance\" \"c\" {\n vpc_security_group_ids = ~\n associate_public_ip_address = ~\n}",
    "resource \"aws_db_instance\" \"a\" {\n for_each = ~\n publicly_accessible = each.value\n}",
    "resource \"aws_db_instance\" \"b\" {\n publicly_accessible = ~\n storage_encrypted = ~\n engine = ~\n}",
    "resource \"aws_lambda_function\" \"a\" {\n environment {\n variables = ~\n }\n}",
    "resource \"aws_lambda_function\" \"b\" {\n environment {\n variables = { A = ~ }\n }\n}",
    "resource \"aws_lambda_function_url\" \"a\" {\n authorization_type = ~\n}",
    "resource \"aws_iam_role\" \"a\" {\n assume_role_policy = ~\n}",
    "resource \"aws_iam_policy\" \"a\" {\n policy = jsonencode({ Statement = [{ Effect = \"Allow\", Action = ~, Resource = [~] }] })\n}",
    "data \"aws_iam_policy_document\" \"a\" {\n statement {\n actions = ~\n resources = [~]\n }\n}",
    "resource \"aws_kms_key\" \"a\" {\n policy = ~\n}",
    "resource \"aws_ecs_task_definition\" \"a\" {\n container_definitions = ~\n}",
    "resource \"google_storage_bucket_iam_member\" \"a\" {\n bucket = ~\n member = ~\n}",
    "resource \"helm_release\" \"a\" {\n name = ~\n values = [~]\n}",
    "resource \"aws_s3_bucket\" \"d\" {\n acl = <<-END\n  @ ${var.unknown[\"@\"]} ${~}\n END\n}",
    "module \"gone\" {\n source = \"./gone\"\n for_each = ~\n name = ~\n}",
];

/// A configuration with these expressions in all places, and each literal of its own.
fn configuration(expressions: &[String]) -> String {
    let mut expressions = expressions.iter().cycle();
    let mut text = "variable \"unknown\" {}\nlocals {\n unknown = var.unknown\n}\n".to_owned();
    for place in PLACES {
        for (at, part) in place.split('~').enumerate() {
            if at > 0 {
                text.push_str(expressions.next().map_or("null", String::as_str));
            }
            text.push_str(part);
        }
        text.push('\n');
    }
    let mut count = 0;
    let mut whole = String::with_capacity(text.len() * 2);
    for c in text.chars() {
        count += 1;
        match c {
            '@' => whole.push_str(&format!("{TEXT}{count}")),
            '#' => whole.push_str(&format!("{NUMBER}{count}")),
            c => whole.push(c),
        }
    }
    whole
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_literal_of_an_expression_is_stored_or_printed(expressions in prop::collection::vec(undecided(), 8..40)) {
        let text = configuration(&expressions);
        let built = file("main.tf", text.as_bytes(), &Options::default());
        let built = built.unwrap_or_else(|error| panic!("{error}: {text}"));
        for shown in [
            built.graph().to_string(),
            report(&built).to_string(),
            sarif(&built, None).to_string(),
            crate::summary(&built),
        ] {
            for token in [TEXT, NUMBER] {
                let at = shown.find(token);
                let start = at.map(|at| shown.floor_char_boundary(at.saturating_sub(200)));
                let around = start.map(|start| shown[start..].chars().take(300).collect::<String>());
                prop_assert!(at.is_none(), "{around:?}\n{text}");
            }
        }
    }
}
