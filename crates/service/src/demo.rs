//! Sample data, made by a service's own API: each request by somebody, at a moment of the past, so that lists and histories have
//! a past.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_graphql::{Request, Variables};
use chrono::{DateTime, TimeDelta, Utc};
use clap::ArgMatches;
use http_body_util::{BodyExt as _, Full};
use serde_json::{Value, json};
use url::Url;

use trestle_api::viewer::{Access, Viewer};
use trestle_api::{Bearer, PresentedCredentials, Service};
use trestle_table::clock::Clock;
use trestle_table::{Meter, Tables};

use super::{Failure, Registered, ServiceContext};

/// How long a demo waits for work in the background. A machine that is busy needs a part of it.
const PATIENCE: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(10);

/// Something that a demo has made, for the person who looks at it.
#[derive(Clone, Debug)]
pub struct Sample {
    /// What it is: `a packing list`.
    pub name: String,
    /// Where it is on the service's page, from the `#` on. Empty for the page itself.
    pub fragment: String,
    /// What a person needs to open it, or to know to look at it. Empty for nothing.
    pub needs: String,
}

/// A clock that a demo sets, and that goes on as another one when the demo is over.
#[derive(Clone, Debug)]
pub struct DemoClock {
    base: Clock,
    moment: Arc<Mutex<Option<DateTime<Utc>>>>,
}

impl DemoClock {
    /// A clock that nobody has set yet.
    pub fn new(base: Clock) -> Self {
        Self {
            base,
            moment: Arc::default(),
        }
    }

    /// The clock for the service.
    pub fn clock(&self) -> Clock {
        let (own, base) = (self.clone(), self.base.clone());
        let clock = Clock::new(move || own.set_to().unwrap_or_else(|| own.base.now()));
        clock.trusted_by(move || base.is_trusted())
    }

    fn set_to(&self) -> Option<DateTime<Utc>> {
        *self.moment.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, moment: Option<DateTime<Utc>>) {
        *self.moment.lock().unwrap_or_else(PoisonError::into_inner) = moment;
    }
}

/// A service that gets sample data.
pub struct Demo<'o> {
    registered: &'static Registered,
    service: Arc<dyn Service>,
    clock: DemoClock,
    /// The service's tables, for what no request does.
    pub tables: Tables,
    /// The options given on the command line.
    pub arguments: &'o ArgMatches,
    /// When the demo is made. All of its requests are earlier.
    pub now: DateTime<Utc>,
}

impl<'o> Demo<'o> {
    /// Opens a service, whose clock is this one.
    ///
    /// # Errors
    /// The service does not open.
    pub async fn open(
        registered: &'static Registered,
        context: &ServiceContext<'o>,
        clock: DemoClock,
    ) -> Result<Self, Failure> {
        Ok(Self {
            registered,
            service: (registered.open)(context).await?,
            tables: context.tables.clone(),
            arguments: context.arguments,
            now: clock.base.now(),
            clock,
        })
    }

    /// The service.
    pub fn service(&self) -> &Arc<dyn Service> {
        &self.service
    }

    /// Makes the sample data of the service, which clients reach at `origin`, and returns what there is to see.
    ///
    /// # Errors
    /// The service refuses a request, or work in the background does not end.
    pub async fn fill(&self, origin: &Url) -> Result<Vec<Sample>, Failure> {
        self.service.on_listening(origin);
        let filled = (self.registered.demo)(self).await;
        self.clock.set(None);
        filled.map_err(|failure| {
            let name = self.registered.name;
            Failure::new(format!("The demo of {name} does not work: {failure}"))
        })
    }

    /// The moment so many days and minutes ago.
    pub fn ago(&self, days: i64, minutes: i64) -> DateTime<Utc> {
        self.now - TimeDelta::days(days) - TimeDelta::minutes(minutes)
    }

    /// The only viewer of a server without authentication: who looks at the demo.
    pub fn local(&self) -> DemoUser<'_> {
        self.user(Viewer::local(), None)
    }

    /// Somebody else, with a verified email address and with these roles.
    pub fn other(&self, name: &str, roles: &[&str]) -> DemoUser<'_> {
        let roles = roles.iter().map(|role| (*role).to_owned());
        let viewer = Viewer::new(name, Access::Write).with_roles(roles);
        self.user(viewer.with_email(format!("{name}@example.com")), None)
    }

    /// A guest with a token that the service issued.
    pub fn bearer(&self, token: &Value) -> DemoUser<'_> {
        let token = token.as_str().map(Bearer::new);
        self.user(Viewer::new("guest", Access::Write), token)
    }

    fn user(&self, viewer: Viewer, bearer: Option<Bearer>) -> DemoUser<'_> {
        DemoUser {
            demo: self,
            viewer,
            credentials: PresentedCredentials {
                bearer,
                ..PresentedCredentials::default()
            },
        }
    }

    /// Moves the clock. Time does not go back, and does not reach what is now.
    fn move_to(&self, at: DateTime<Utc>) -> Result<(), Failure> {
        let before = self.clock.set_to().unwrap_or_default();
        if at < before || at >= self.now {
            let now = self.now;
            return Err(Failure::new(format!(
                "{at} is before {before}, or not before {now}."
            )));
        }
        self.clock.set(Some(at));
        Ok(())
    }

    /// Puts a file where a signed URL of the service leads, as a client does.
    ///
    /// # Errors
    /// The URL leads elsewhere, or the service refuses the file.
    pub async fn upload(&self, url: &Value, file: &'static str) -> Result<(), Failure> {
        let url = url.as_str().unwrap_or_default();
        let mounts = self.service.mounts();
        let name = self.registered.name;
        let mount = mounts
            .iter()
            .find(|mount| url.contains(&format!("/{name}/{}?", mount.path)));
        let Some(mount) = mount else {
            return Err(Failure::new(format!("{url} is not of this server.")));
        };
        let body = Full::from(file).map_err(|never| match never {});
        let request = http::Request::put(url).body(body.boxed_unsync())?;
        let status = mount.handler.answer(request).await.status();
        if !status.is_success() {
            return Err(Failure::new(format!(
                "An upload to {url} is answered with {status}."
            )));
        }
        Ok(())
    }
}

/// Somebody who sends requests of a demo.
pub struct DemoUser<'d> {
    demo: &'d Demo<'d>,
    viewer: Viewer,
    credentials: PresentedCredentials,
}

impl DemoUser<'_> {
    /// Runs the mutation with this name at a moment, and returns its payload with the fields of `selection`.
    ///
    /// # Errors
    /// The moment is not after the one before, or the service refuses the mutation: with what and how.
    pub async fn mutate(
        &self,
        at: DateTime<Utc>,
        mutation: &str,
        selection: &str,
        input: Value,
    ) -> Result<Value, Failure> {
        self.demo.move_to(at)?;
        // Every mutation has one input and one payload, which are named like it.
        let (first, rest) = mutation.split_at(1);
        let input_type = format!("{}{rest}Input", first.to_uppercase());
        let document = format!(
            "mutation Demo($input: {input_type}!) {{
               {mutation}(input: $input) {{ {selection} userErrors {{ message }} }}
             }}"
        );
        let mut answer = self.send(&document, json!({ "input": input })).await?;
        let payload = answer["data"][mutation].take();
        if payload["userErrors"].as_array().is_some_and(Vec::is_empty) {
            return Ok(payload);
        }
        Err(Failure::new(format!(
            "{mutation} with {input} is answered with {answer} {payload}."
        )))
    }

    /// Waits for work in the background: repeats a query until its data has this value at a JSON pointer.
    ///
    /// # Errors
    /// It takes too long: with the last answer.
    pub async fn wait_for(&self, query: &str, pointer: &str, value: Value) -> Result<(), Failure> {
        let done = async {
            loop {
                let answer = self.send(query, json!({})).await?;
                if answer["data"].pointer(pointer) == Some(&value) {
                    return Ok::<_, Failure>(());
                }
                tokio::time::sleep(POLL).await;
            }
        };
        if let Ok(done) = tokio::time::timeout(PATIENCE, done).await {
            return done;
        }
        let answer = self.send(query, json!({})).await?;
        Err(Failure::new(format!(
            "{pointer} of {query} does not become {value}: {answer}."
        )))
    }

    async fn send(&self, document: &str, variables: Value) -> Result<Value, Failure> {
        let request = Request::new(document)
            .variables(Variables::from_json(variables))
            .data(self.credentials.clone());
        let service = &self.demo.service;
        let response = service.execute(request, self.viewer.clone(), Meter::default());
        Ok(serde_json::to_value(response.await)?)
    }
}
