//! Routes of APIs that take requests without authentication.

use super::documents::policy;
use super::look::{Answer, at, each_way, look, not, unfit};
use super::named::{API, Names, REST_API};
use super::protects::together;
use super::table::Test;
use crate::finding::Severity;
use crate::graph::{Built, Values};
use crate::value::Value;

const RULE: &str = "unauthenticated-endpoint";
const ROUTE: &str = "aws_apigatewayv2_route";
const METHOD: &str = "aws_api_gateway_method";
const KEY: &str = "route_key";
/// The route that takes what no other one does.
const DEFAULT: &str = "$default";

/// Looks at every route. What the internet reaches has to be known.
pub fn classify(built: &mut Built, names: &Names, resources: &[(String, String)]) {
    for (id, kind) in resources {
        for values in built.instances(id).iter() {
            let answer = match kind.as_str() {
                ROUTE => of_route(built, names, id, values),
                METHOD => of_method(built, names, id, values),
                _ => continue,
            };
            built.looked(RULE, id);
            match answer {
                Answer::Yes => {
                    let message = "Anyone can call the route.".to_owned();
                    built.find(Severity::Medium, RULE, id, message);
                }
                Answer::No => {}
                Answer::Unknown(reason) => built.undecided_by(RULE, id, reason),
            }
        }
    }
}

fn of_route(built: &Built, names: &Names, id: &str, values: &Values) -> Answer {
    let is_open = look(values, Test::OneOf("authorization_type", &["NONE"], true));
    let apis = names.at(built, id, values, "api_id", API).nodes;
    let takes = each_way(values, KEY, &|values| takes(built, &apis, values));
    is_open
        .and(takes)
        .and(is_reached(built, apis.iter().map(String::as_str)))
}

fn of_method(built: &Built, names: &Names, id: &str, values: &Values) -> Answer {
    let is_open = look(values, Test::OneOf("authorization", &["NONE"], false));
    let needs_no_key = look(values, Test::Is("api_key_required", false, Some(false)));
    // Browsers ask with this method what they may send, and cannot authenticate.
    let takes = not(look(values, Test::Equals("http_method", "OPTIONS")));
    let apis = names.at(built, id, values, "rest_api_id", REST_API).nodes;
    let mut answer = is_open.and(needs_no_key).and(takes);
    answer = answer.and(is_reached(built, apis.iter().map(String::as_str)));
    for api in &apis {
        // A policy of the API decides who may call a method without authorization.
        answer = answer.and(together(built, api, |values| match values.get("policy") {
            None | Some(Value::Null) => Answer::Yes,
            Some(value) => policy(built, value),
        }));
    }
    answer
}

/// Whether a route takes requests of a client that it does not know yet: those of HTTP, and the beginning of a WebSocket.
fn takes(built: &Built, apis: &[String], values: &Values) -> Answer {
    let mut answer = Answer::No;
    for key in at(values, KEY) {
        answer = answer.or(match key {
            Value::Text(key) if key == DEFAULT => is_http(built, apis),
            Value::Text(key) => {
                let is_call = key.contains('/') && !key.starts_with("OPTIONS ");
                (is_call || key == "$connect").into()
            }
            // The method is known, or that there is a path.
            Value::Partial { known, .. } if known.contains('/') => {
                (!known.starts_with("OPTIONS ")).into()
            }
            other => unfit(KEY, other, "a text"),
        });
    }
    answer
}

/// Whether APIs are of HTTP; those of WebSockets authenticate once, when they connect.
fn is_http(built: &Built, apis: &[String]) -> Answer {
    let each = apis.iter().map(|api| {
        together(built, api, |values| {
            look(values, Test::Equals("protocol_type", "HTTP"))
        })
    });
    let unknown = Answer::Unknown("Whether its API is of HTTP is not known.".to_owned());
    each.reduce(Answer::or).unwrap_or(unknown)
}

/// Whether the internet reaches one of the APIs of a route; an API that is not in the files is one of the internet.
fn is_reached<'a>(built: &Built, apis: impl Iterator<Item = &'a str>) -> Answer {
    let each = apis.map(|api| {
        if built
            .nodes
            .get(api)
            .is_some_and(|node| node.internet_exposed)
        {
            return Answer::Yes;
        }
        let mut notes = built.unresolved.iter();
        match notes.find(|note| note.node == api) {
            Some(note) => Answer::Unknown(note.message.clone()),
            None => Answer::No,
        }
    });
    each.reduce(Answer::or).unwrap_or(Answer::Yes)
}
