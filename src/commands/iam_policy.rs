//! `trestle iam-policy`.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use trestle_service::Failure;
use trestle_service::flags::bucket_name;

use super::chosen::Services;
use super::store::StoreArgs;

/// What a server needs.
#[derive(Args, Clone, Debug)]
pub struct IamPolicyArgs {
    #[command(flatten)]
    services: Services,

    /// Read the tables' streams, for `serve --changes streams`
    #[arg(long)]
    streams: bool,

    /// The bucket of files, for `serve --artifacts s3://BUCKET`
    #[arg(long, value_name = "BUCKET", value_parser = bucket_name)]
    bucket: Option<String>,

    /// The region of the tables
    #[arg(long, env = "AWS_REGION", default_value = "*", value_parser = region)]
    region: String,

    /// The account of the tables
    #[arg(long, value_name = "ID", default_value = "*", value_parser = account)]
    account: String,

    #[command(flatten)]
    store: StoreArgs,
}

/// What serving calls. `TransactWriteItems` needs the permissions of what it does.
const TABLE: [&str; 9] = [
    "dynamodb:BatchGetItem",
    "dynamodb:BatchWriteItem",
    "dynamodb:ConditionCheckItem",
    "dynamodb:DeleteItem",
    "dynamodb:DescribeTable",
    "dynamodb:GetItem",
    "dynamodb:PutItem",
    "dynamodb:Query",
    "dynamodb:UpdateItem",
];
const STREAM: [&str; 3] = [
    "dynamodb:DescribeStream",
    "dynamodb:GetRecords",
    "dynamodb:GetShardIterator",
];
const OBJECTS: [&str; 3] = ["s3:DeleteObject", "s3:GetObject", "s3:PutObject"];

fn region(text: &str) -> Result<String, String> {
    let is_region = text.rsplit_once('-').is_some_and(|(parts, number)| {
        let mut words = parts.split('-');
        parts.contains('-')
            && words.all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase()))
            && number.parse::<u8>().is_ok()
    });
    match text {
        // A compose file passes unset variables so.
        "" | "*" => Ok("*".to_owned()),
        region if is_region => Ok(region.to_owned()),
        _ => Err("give a region like eu-central-1, or * for all".to_owned()),
    }
}

fn account(text: &str) -> Result<String, String> {
    if text == "*" || text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        Ok(text.to_owned())
    } else {
        Err("give an account of 12 digits, or * for all".to_owned())
    }
}

/// Prints a policy that allows what the server calls, and nothing else.
pub fn run(args: &IamPolicyArgs) -> Result<ExitCode, Failure> {
    super::output::print(&format!("{:#}", policy(args)?))?;
    Ok(ExitCode::SUCCESS)
}

fn policy(args: &IamPolicyArgs) -> Result<Value, Failure> {
    let mut tables = Vec::new();
    for service in args.services.all()? {
        tables.extend(service.tables.iter().map(|table| {
            let (region, account) = (&args.region, &args.account);
            let name = args.store.name_of(table);
            format!("arn:aws:dynamodb:{region}:{account}:table/{name}")
        }));
    }
    let indexes = tables.iter().map(|table| format!("{table}/index/*"));
    let mut statements = vec![json!({
        "Sid": "Tables",
        "Effect": "Allow",
        "Action": TABLE,
        "Resource": tables.iter().cloned().chain(indexes).collect::<Vec<_>>(),
    })];
    if args.streams {
        let streams = tables.iter().map(|table| format!("{table}/stream/*"));
        statements.push(json!({
            "Sid": "Streams",
            "Effect": "Allow",
            "Action": STREAM,
            "Resource": streams.collect::<Vec<_>>(),
        }));
    }
    if let Some(bucket) = &args.bucket {
        statements.push(json!({
            "Sid": "Objects",
            "Effect": "Allow",
            "Action": OBJECTS,
            "Resource": format!("arn:aws:s3:::{bucket}/*"),
        }));
        // Files of deleted runs are found by their folder, and a missing object is told from a forbidden one.
        statements.push(json!({
            "Sid": "Bucket",
            "Effect": "Allow",
            "Action": "s3:ListBucket",
            "Resource": format!("arn:aws:s3:::{bucket}"),
        }));
    }
    Ok(json!({ "Version": "2012-10-17", "Statement": statements }))
}
