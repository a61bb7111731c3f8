//! A service that is made of a schema and tables.

use std::sync::Arc;

use async_graphql::{
    ObjectType, Pos, Request, Response, SDLExportOptions, Schema, SchemaBuilder, SubscriptionType,
    ValidationMode,
};
use futures_util::future::{BoxFuture, ready};
use futures_util::stream::{BoxStream, once};
use futures_util::{FutureExt, StreamExt};
use url::Url;

use super::{
    ApiError, Authentication, Counted, Described, HttpHandler, HttpRoute, Paged, SchemaDescription,
    Service, Session, UnfinishedError, Viewers,
};
use crate::viewer::Viewer;
use trestle_table::{Meter, Tables};

/// A service: its schema on its tables.
pub struct GraphqlService<Q, M, S> {
    name: &'static str,
    examples: &'static [&'static str],
    schema: Schema<Paged<Q>, Paged<M>, S>,
    sdl: String,
    tables: Tables,
    equip: Option<Equip>,
    authentication: Authentication,
    mounts: Vec<HttpRoute>,
    listening: Option<Listening>,
    ready: Option<Ready>,
    stopping: Option<Stopping>,
    finishing: Option<Finishing>,
}

type Ready = Box<dyn Fn() -> BoxFuture<'static, bool> + Send + Sync>;
type Stopping = Box<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>;
type Finishing = Box<dyn Fn() -> BoxFuture<'static, Result<usize, UnfinishedError>> + Send + Sync>;
type Listening = Box<dyn Fn(&Url) + Send + Sync>;
type Equip = Box<dyn Fn(Request, &Session) -> Result<Request, ApiError> + Send + Sync>;

impl<Q, M, S> GraphqlService<Q, M, S>
where
    Q: ObjectType + 'static,
    M: ObjectType + 'static,
    S: SubscriptionType + 'static,
{
    /// The service with this schema. What all its requests share is data of the schema.
    pub fn new(
        name: &'static str,
        schema: SchemaBuilder<Paged<Q>, Paged<M>, S>,
        tables: Tables,
    ) -> Self {
        // The server has validated each document once already, and remembers it.
        let schema = schema
            .validation_mode(ValidationMode::Fast)
            .directive(Counted)
            .directive(Described)
            .disable_suggestions()
            .finish();
        Self {
            name,
            examples: &[],
            sdl: sdl(&schema),
            schema,
            tables,
            equip: None,
            authentication: Authentication::ByServer,
            mounts: Vec::new(),
            listening: None,
            ready: None,
            stopping: None,
            finishing: None,
        }
    }

    /// The same, ready only while `ready` answers true, as well as its tables.
    pub fn ready_if(
        self,
        ready: impl Fn() -> BoxFuture<'static, bool> + Send + Sync + 'static,
    ) -> Self {
        Self {
            ready: Some(Box::new(ready)),
            ..self
        }
    }

    /// The same, with work in the background that `stopping` ends or hands back.
    pub fn stopping(
        self,
        stopping: impl Fn() -> BoxFuture<'static, ()> + Send + Sync + 'static,
    ) -> Self {
        Self {
            stopping: Some(Box::new(stopping)),
            ..self
        }
    }

    /// The same, whose interrupted deletes `finishing` finishes: see [`Service::finish_deletes`].
    pub fn finishing(
        self,
        finishing: impl Fn() -> BoxFuture<'static, Result<usize, UnfinishedError>>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self {
            finishing: Some(Box::new(finishing)),
            ..self
        }
    }

    /// The same, with documents for its playground.
    pub fn examples(self, examples: &'static [&'static str]) -> Self {
        Self { examples, ..self }
    }

    /// The same, each of whose requests is given more than its session: a loader of its own, say. A request that it
    /// refuses is answered with the error.
    pub fn with_request_data(
        self,
        equip: impl Fn(Request, &Session) -> Result<Request, ApiError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            equip: Some(Box::new(equip)),
            ..self
        }
    }

    /// The same, which authenticates its requests itself: see [`Authentication::ByService`].
    pub fn authenticating_itself(self) -> Self {
        Self {
            authentication: Authentication::ByService,
            ..self
        }
    }

    /// The same, with a plain HTTP handler at `/<service>/<path>`.
    pub fn mount(mut self, path: &'static str, handler: Arc<dyn HttpHandler>) -> Self {
        self.mounts.push(HttpRoute { path, handler });
        self
    }

    /// The same, which is told where it is reached.
    pub fn on_listening(self, listening: impl Fn(&Url) + Send + Sync + 'static) -> Self {
        Self {
            listening: Some(Box::new(listening)),
            ..self
        }
    }

    fn request(
        &self,
        request: Request,
        viewer: Viewer,
        meter: Meter,
    ) -> Result<Request, Box<Response>> {
        let tables = self.tables.counting(meter);
        let session = Session::new(tables, viewer);
        let request = match &self.equip {
            Some(equip) => equip(request, &session).map_err(refused)?,
            None => request,
        };
        Ok(request.data(session))
    }
}

fn refused(error: ApiError) -> Box<Response> {
    let error = async_graphql::Error::from(error).into_server_error(Pos::default());
    Box::new(Response::from_errors(vec![error]))
}

/// A schema in SDL, sorted, so that two of them compare line by line. Begins its definition with its
/// [`SchemaDescription`].
pub fn sdl<Q, M, S>(schema: &Schema<Q, M, S>) -> String
where
    Q: ObjectType + 'static,
    M: ObjectType + 'static,
    S: SubscriptionType + 'static,
{
    let options = SDLExportOptions::new()
        .sorted_fields()
        .sorted_arguments()
        .sorted_enum_items()
        .include_specified_by()
        .use_space_ident()
        .indent_width(2);
    let sdl = schema.sdl_with_options(options);
    let sdl = sdl.trim();
    let described = schema.data::<SchemaDescription>().and_then(|description| {
        let (types, schema) = sdl.rsplit_once("\nschema {")?;
        let description = description.0;
        Some(format!(
            "{types}\n\"\"\"\n{description}\n\"\"\"\nschema {{{schema}\n"
        ))
    });
    described.unwrap_or_else(|| format!("{sdl}\n"))
}

impl<Q, M, S> Service for GraphqlService<Q, M, S>
where
    Q: ObjectType + 'static,
    M: ObjectType + 'static,
    S: SubscriptionType + 'static,
{
    fn name(&self) -> &'static str {
        self.name
    }

    fn sdl(&self) -> &str {
        &self.sdl
    }

    fn examples(&self) -> &'static [&'static str] {
        self.examples
    }

    fn authentication(&self) -> Authentication {
        self.authentication
    }

    fn execute(&self, request: Request, viewer: Viewer, meter: Meter) -> BoxFuture<'_, Response> {
        match self.request(request, viewer, meter.clone()) {
            Ok(request) => async move {
                let mut response = self.schema.execute(request).await;
                super::confirmed::correct(&mut response, &meter);
                response
            }
            .boxed(),
            Err(refusal) => ready(*refusal).boxed(),
        }
    }

    fn subscribe(
        &self,
        request: Request,
        viewer: Viewer,
        meter: Meter,
    ) -> BoxStream<'static, Response> {
        match self.request(request, viewer, meter) {
            Ok(request) => self.schema.execute_stream(request).boxed(),
            Err(refusal) => once(ready(*refusal)).boxed(),
        }
    }

    fn ready(&self) -> BoxFuture<'_, bool> {
        async move {
            let own = async {
                match &self.ready {
                    Some(ready) => ready().await,
                    None => true,
                }
            };
            let (tables, own) = futures_util::join!(self.tables.answer(), own);
            tables && own
        }
        .boxed()
    }

    fn finish_deletes(&self) -> BoxFuture<'_, Result<usize, UnfinishedError>> {
        match &self.finishing {
            Some(finishing) => finishing(),
            None => ready(Ok(0)).boxed(),
        }
    }

    fn stopping(&self) -> BoxFuture<'_, ()> {
        match &self.stopping {
            Some(stopping) => stopping(),
            None => ready(()).boxed(),
        }
    }

    fn mounts(&self) -> Vec<HttpRoute> {
        self.mounts.clone()
    }

    fn set_authenticator(&self, viewers: Arc<dyn Viewers>) {
        for mount in &self.mounts {
            mount.handler.set_authenticator(Arc::clone(&viewers));
        }
    }

    fn on_listening(&self, origin: &Url) {
        if let Some(listening) = &self.listening {
            listening(origin);
        }
    }
}
