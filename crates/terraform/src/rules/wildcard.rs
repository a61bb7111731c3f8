//! Wildcards in the actions and resources of policies.

use super::look::{Answer, unfit, unknown};
use crate::value::{HOLE, Value};

/// Actions that take no resource but `*`. Source: the Service Authorization Reference of AWS.
const WITHOUT_RESOURCES: [&str; 14] = [
    "cloudwatch:putmetricdata",
    "comprehend:detect*",
    "ec2messages:*",
    "ecr:getauthorizationtoken",
    "polly:synthesizespeech",
    "rekognition:detect*",
    "ssmmessages:createcontrolchannel",
    "ssmmessages:createdatachannel",
    "ssmmessages:opencontrolchannel",
    "ssmmessages:opendatachannel",
    "textract:analyze*",
    "textract:detect*",
    "translate:translatetext",
    "xray:put*",
];

/// Whether an action takes no resource but `*`, so that nothing narrower can be written.
pub fn is_without_resources(action: &str) -> bool {
    WITHOUT_RESOURCES.iter().any(|one| matches(one, action))
}

/// What stands for any name.
const ANY: &str = "0-any-name";
/// ARNs of any resources, in all the forms that ARNs have.
const ARNS: [&str; 4] = [
    "arn:aws:s3:::0-any-name",
    "arn:aws:iam::012345678901:role/0-any-name",
    "arn:aws:ec2:xx-any-0:012345678901:0-any-kind/0-any-name",
    "arn:aws:sns:xx-any-0:012345678901:0-any-name",
];

/// Whether a pattern with `*` and `?` matches a text.
pub fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut at, mut place) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while place < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, place));
                at += 1;
            }
            Some(byte) if *byte == b'?' || Some(byte) == text.get(place) => {
                at += 1;
                place += 1;
            }
            _ => match star {
                Some((before, from)) => {
                    // The last star takes one byte more, and the rest is tried again.
                    star = Some((before, from + 1));
                    at = before + 1;
                    place = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(at).all(|byte| *byte == b'*')
}

/// Whether a text is nothing but wildcards for names of any length.
fn is_any(text: &str) -> bool {
    text.contains('*') && text.chars().all(|c| matches!(c, '*' | '?'))
}

pub fn is_every_action(action: &str) -> bool {
    match action.split_once(':') {
        Some((service, name)) => is_any(service) && is_any(name),
        None => is_any(action),
    }
}

/// Whether an action is every action of a service.
pub fn is_wildcard_action(action: &str) -> bool {
    is_every_action(action) || action.split_once(':').is_some_and(|(_, name)| is_any(name))
}

/// Whether a resource is every one of a service: `*`, `arn:aws:s3:::*`.
pub fn is_every_resource(value: &Value) -> Answer {
    by(value, |arn| {
        let parts: Vec<_> = arn.splitn(6, ':').collect();
        match parts.as_slice() {
            [_, _, _, _, _, rest] => rest.split([':', '/']).all(is_any),
            _ => is_any(arn),
        }
    })
}

/// Whether a resource is every one of a kind of IAM in an account. Of roles: `*`, `arn:aws:iam::123456789012:role/*`.
pub fn is_every_one_of(kind: &str, value: &Value) -> Answer {
    by(value, |arn| {
        let parts: Vec<_> = arn.splitn(6, ':').collect();
        match parts.as_slice() {
            [_, _, service, _, _, rest] => {
                matches(service, "iam") && matches(rest, &format!("{kind}/{ANY}"))
            }
            _ => matches(arn, &format!("arn:aws:iam::0:{kind}/{ANY}")),
        }
    })
}

/// Whether a resource is every one of all services: `*`, `arn:aws:*:*:*:*`.
pub fn is_everything(value: &Value) -> Answer {
    match value {
        Value::Text(text) => ARNS.iter().all(|arn| matches(text, arn)).into(),
        other => is_all("resources", other),
    }
}

/// Whether a value is `*`.
pub fn is_all(what: &str, value: &Value) -> Answer {
    match value {
        Value::Text(text) => (text == "*").into(),
        value if value.is_identifier() => Answer::No,
        // What is not known may be all of it, or nothing.
        Value::Partial { text, known } => {
            if known.chars().all(|c| matches!(c, HOLE | '*' | '?')) {
                unknown(what, text)
            } else {
                Answer::No
            }
        }
        other => unfit(what, other, "a text"),
    }
}

/// A text that is known in part, without the parts that may be empty.
pub fn shortest(known: &str) -> String {
    known.replace(HOLE, "")
}

fn by(value: &Value, is: impl Fn(&str) -> bool) -> Answer {
    match value {
        Value::Text(text) => is(text).into(),
        // The account may be what is not known.
        Value::Partial { known, .. } if known.starts_with("arn:") && is(known) => Answer::Yes,
        Value::Partial { text, known } if is(&shortest(known)) => unknown("resources", text),
        other => is_all("resources", other),
    }
}

/// Whether one of the actions that a statement leaves out is or has this one.
pub fn leaves_out(actions: &[Value], action: &str) -> Answer {
    let mut answer = Answer::No;
    for value in actions.iter() {
        answer = answer.or(match value {
            Value::Text(text) => matches(&text.to_lowercase(), action).into(),
            other => unfit("not_actions", other, "a text"),
        });
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_match_what_they_stand_for() {
        for (pattern, text, is) in [
            ("iam:*", "iam:passrole", true),
            ("iam:pass*", "iam:passrole", true),
            ("*:pass?ole", "iam:passrole", true),
            ("s3:*", "iam:passrole", false),
            ("iam:passrole?", "iam:passrole", false),
            ("a*b*", "axbx", true),
            ("a*b*c", "axbx", false),
        ] {
            assert_eq!(matches(pattern, text), is, "{pattern}");
        }
        for (arn, is) in [
            ("*", true),
            ("arn:aws:iam::123456789012:role/*", true),
            ("arn:aws:iam::*:role/*", true),
            ("arn:aws:iam::*:*", true),
            ("arn:*", true),
            ("arn:aws:iam::123456789012:role/app-*", false),
            ("arn:aws:s3:::*", false),
        ] {
            let is = Answer::from(is);
            assert_eq!(
                is_every_one_of("role", &Value::Text(arn.to_owned())),
                is,
                "{arn}"
            );
        }
        for (arn, is) in [
            ("*", true),
            ("arn:aws:*:*:*:*", true),
            ("arn:*", true),
            ("arn:aws:s3:*:*:*", false),
            ("arn:aws:*:eu-central-1:*:*", false),
        ] {
            let is = Answer::from(is);
            assert_eq!(is_everything(&Value::Text(arn.to_owned())), is, "{arn}");
        }
        for (arn, is) in [
            ("arn:aws:s3:::*", true),
            ("arn:aws:s3:::*/*", true),
            ("arn:aws:s3:::shop/*", false),
            ("arn:aws:sqs:*:*:jobs", false),
        ] {
            let is = Answer::from(is);
            assert_eq!(is_every_resource(&Value::Text(arn.to_owned())), is, "{arn}");
        }
    }
}
