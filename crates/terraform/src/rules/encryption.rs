//! Whether what stores data is encrypted at rest.

use super::datastores::INHERITS;
use super::look::{Answer, at, each_way, look, same, unfit, unknown};
use super::protects::{Of, doubt, together, unless};
use super::table::Test;
use super::types;
use crate::finding::Severity;
use crate::graph::{Built, Values};
use crate::terraform::Kind;
use crate::value::{HOLE, Value};

const RULE: &str = "unencrypted-datastore";
/// It encrypts every volume of the account.
const BY_DEFAULT: &str = "aws_ebs_encryption_by_default";
/// How many sources inherit from each other.
const MAX_SOURCES: usize = 8;
/// It has the data of a stream, if it reads one.
const FIREHOSE: &str = "aws_kinesis_firehose_delivery_stream";
/// Arguments that name a key: what has one is encrypted.
const KEYS: [&str; 3] = ["kms_key_id", "kms_master_key_id", "kms_key_arn"];

/// How a type is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// The provider encrypts it, and this cannot be turned off.
    Always,
    /// If the flag is true; the default if it is left out. Without one it depends on the provider's version.
    Flag(&'static str, Option<bool>),
    /// If the flag is true; the default is true only if another argument is this word.
    FlagUnless(&'static str, &'static str, &'static str),
    /// If all of these flags are true; they are false if they are left out.
    Flags(&'static [&'static str]),
    /// If the text is this one.
    Word(&'static str, &'static str),
    /// It cannot be encrypted, which does not matter if an argument is this word.
    Never(&'static str, &'static str),
    /// If each of these blocks has `encrypted`. Without one the image decides, if there is one.
    Blocks(&'static [&'static str], bool),
}
use Encryption::{Always, Blocks, Flag, FlagUnless, Flags, Never, Word};

impl Encryption {
    /// The arguments that decide it.
    pub fn paths(self) -> Vec<String> {
        match self {
            Always => Vec::new(),
            Flag(path, _) | Word(path, _) | Never(path, _) => vec![path.to_owned()],
            FlagUnless(path, other, _) => vec![path.to_owned(), other.to_owned()],
            Flags(paths) => paths.iter().map(|path| (*path).to_owned()).collect(),
            Blocks(blocks, _) => blocks
                .iter()
                .map(|block| format!("{block}.encrypted"))
                .collect(),
        }
    }
}

/// Looks at every type that stores data.
pub fn classify(built: &mut Built, resources: &[(String, String)]) {
    let defaults = resources.iter().filter(|(_, kind)| kind == BY_DEFAULT);
    let defaults: Vec<(&str, Answer)> = defaults
        .map(|(id, _)| {
            let is_on = Test::Is("enabled", true, Some(true));
            (id.as_str(), together(built, id, |of| look(of, is_on)))
        })
        .collect();
    for (id, kind) in resources {
        let Some(encryption) = types::of(kind).and_then(|row| row.encrypted) else {
            continue;
        };
        built.looked(RULE, id);
        for values in built.instances(id).iter() {
            let mut answer = encrypted(built, values, encryption, MAX_SOURCES);
            if let Some(of_source) = by_source(values).filter(|_| kind == FIREHOSE) {
                answer.0 = of_source;
            }
            let is_volume = matches!(encryption, Blocks(..)) || kind.starts_with("aws_ebs_");
            // The setting of an account encrypts new volumes that do not say so themselves.
            if is_volume && answer.0 != Answer::Yes {
                let by_default = defaults
                    .iter()
                    .map(|(by, is_on)| unless(is_on.clone(), doubt(built, by, id, Of::Region)));
                answer.0 = by_default.fold(answer.0, Answer::or);
            }
            match answer {
                (Answer::Yes, _) => {}
                (Answer::No, what) => {
                    let message = format!("Its data is not encrypted: {what}.");
                    built.find(Severity::Medium, RULE, id, message);
                }
                (Answer::Unknown(reason), _) => built.unsure(RULE, id, reason),
            }
        }
    }
}

/// Whether it is encrypted, and what decides that it is not.
fn encrypted(
    built: &Built,
    values: &Values,
    encryption: Encryption,
    steps: usize,
) -> (Answer, String) {
    match encryption {
        Always => (Answer::Yes, String::new()),
        Flag(path, default) => {
            let inherited = inherited(built, values, path, steps);
            let answer = match (inherited, path) {
                (Some(inherited), _) => inherited,
                // A queue has a key of its own instead.
                (None, "sqs_managed_sse_enabled") => {
                    let has_key = KEYS.iter().map(|key| is_given(values, key));
                    let has_key = has_key.fold(Answer::No, Answer::or);
                    has_key.or(look(values, Test::Is(path, true, default)))
                }
                (None, path) => look(values, Test::Is(path, true, default)),
            };
            (answer, format!("`{path}` is not true"))
        }
        Flags(paths) => {
            let flags = paths.iter();
            let flags = flags.map(|path| look(values, Test::Is(path, true, Some(false))));
            (
                flags.fold(Answer::Yes, Answer::and),
                format!("`{}` is not true", paths.join("` or `")),
            )
        }
        FlagUnless(path, other, word) => {
            let inherited = inherited(built, values, path, steps);
            let answer = match inherited {
                Some(inherited) => inherited,
                None if at(values, path).is_empty() => look(values, Test::Equals(other, word)),
                None => look(values, Test::Is(path, true, None)),
            };
            (answer, format!("`{path}` is not true"))
        }
        Word(path, word) => (
            look(values, Test::Equals(path, word)),
            format!("`{path}` is not `{word}`"),
        ),
        Never(path, word) => {
            let group = values.get("replication_group_id");
            let group = group.filter(|group| **group != Value::Null);
            match group {
                // A cluster in a group has the settings of the group.
                Some(group) => (
                    of_source(built, group, "at_rest_encryption_enabled", steps),
                    "its replication group is not".to_owned(),
                ),
                None => (
                    look(values, Test::Equals(path, word)),
                    "a cluster without a replication group cannot be".to_owned(),
                ),
            }
        }
        Blocks(paths, has_image) => blocks(values, paths, has_image),
    }
}

/// Whether what others inherit their encryption from is encrypted.
fn of_source(built: &Built, source: &Value, path: &str, steps: usize) -> Answer {
    let Value::Of { node, .. } = source else {
        return unknown_source(path);
    };
    let sources = built.at(node).into_iter().filter_map(|id| {
        let of = built.nodes.get(id).filter(|of| of.kind == Kind::Resource)?;
        Some((of, types::of(&of.type_name)?.encrypted?))
    });
    let answers = sources.flat_map(|(of, encryption)| {
        let steps = steps.checked_sub(1);
        of.values.iter().filter_map(move |values| {
            steps.map(|steps| encrypted(built, values, encryption, steps).0)
        })
    });
    same(answers).unwrap_or_else(|| unknown_source(path))
}

/// Whether an argument has a value. One that only Terraform knows may be null.
fn is_given(values: &Values, path: &str) -> Answer {
    each_way(values, path, &|values| is_plainly_given(values, path))
}

fn is_plainly_given(values: &Values, path: &str) -> Answer {
    let mut answer = Answer::No;
    for value in at(values, path) {
        answer = answer.or(match value {
            Value::Text(text) => (!text.is_empty()).into(),
            Value::Unknown(text) | Value::Several(text) | Value::Choice { text, .. } => {
                unknown(path, text)
            }
            Value::Partial { text, known } if known.chars().all(|c| c == HOLE) => {
                unknown(path, text)
            }
            Value::Sensitive => unfit(path, value, "known"),
            _ => Answer::Yes,
        });
    }
    answer
}

/// Whether the stream that a delivery stream reads decides in its place.
fn by_source(values: &Values) -> Option<Answer> {
    let path = "kinesis_source_configuration";
    let blocks = at(values, path);
    let block = blocks.first()?;
    Some(match at(values, "kinesis_source_configuration.kinesis_stream_arn").as_slice() {
        // It is looked at by itself.
        [Value::Of { node, .. }] if !node.contains("data.") => Answer::Yes,
        _ => match block.unknown() {
            Some(text) => unknown(path, text),
            None => Answer::Unknown(
                "The stream that it reads decides whether its data is encrypted, and is not known."
                    .to_owned(),
            ),
        },
    })
}

fn blocks(values: &Values, paths: &[&str], has_image: bool) -> (Answer, String) {
    let mut whole = Answer::Yes;
    let mut count = 0;
    for path in paths {
        for block in at(values, path) {
            count += 1;
            let one = match block {
                Value::Map(block) => {
                    let is_encrypted = look(block, Test::Is("encrypted", true, Some(false)));
                    // A volume of a snapshot is encrypted as the snapshot is.
                    let of_snapshot =
                        block.contains_key("snapshot_id") && !block.contains_key("encrypted");
                    match (is_encrypted, of_snapshot) {
                        (Answer::No, true) => Answer::Unknown(format!(
                            "`{path}.encrypted` is inherited from a snapshot that is not known."
                        )),
                        (answer, _) => answer,
                    }
                }
                other => unfit(path, other, "a block"),
            };
            whole = whole.and(one);
        }
    }
    let what = format!("`encrypted` of `{}` is not true", paths.join("` or `"));
    // What a block leaves out is as the image has it: all volumes, or the root's.
    let root = paths.first().filter(|_| paths.len() > 1);
    let is_left_out = count == 0 || root.is_some_and(|root| at(values, root).is_empty());
    if has_image && is_left_out {
        let reason = "Its image and the account decide whether its volumes are encrypted.";
        whole = whole.and(Answer::Unknown(reason.to_owned()));
    }
    (whole, what)
}

fn unknown_source(path: &str) -> Answer {
    Answer::Unknown(format!(
        "`{path}` is inherited from a source that is not known."
    ))
}

/// Whether the source is encrypted that an argument is inherited from; `None` if nothing is inherited.
fn inherited(built: &Built, values: &Values, path: &str, steps: usize) -> Option<Answer> {
    if !at(values, path).is_empty() {
        return None;
    }
    // Plans have an empty list for a block that is left out.
    let source = INHERITS.iter().find(|path| !at(values, path).is_empty())?;
    Some(of_source(built, values.get(*source)?, path, steps))
}
