//! What an operator sees of the running server: logs, metrics, traces. Knows requests by their names,
//! codes, times and costs; never by a key or a value of the data.

mod arguments;
mod declared;
mod dynamodb;
mod gauges;
mod http;
mod log;
mod metrics;
mod names;
#[cfg(feature = "telemetry")]
mod otlp;
mod process;
mod work;

#[cfg(feature = "telemetry")]
use std::time::Duration;

#[cfg(feature = "telemetry")]
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::Dispatch;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::{Layer, Registry};

use self::dynamodb::CallDurations;
use self::work::WorkEvents;
use super::observe::{Observer, RequestRecord};

pub use self::arguments::{LogFormat, TelemetryArgs, TelemetryError};
pub use self::http::{flush_after, observe};
pub use self::metrics::Metrics;
pub use self::process::free_bytes;

#[cfg(feature = "telemetry")]
/// The longest that the last spans may take to leave when the server stops.
const LAST_SPANS: Duration = Duration::from_secs(5);

/// Logs, metrics and traces of one server. Clones share everything. The default one has metrics alone.
#[derive(Clone, Debug, Default)]
pub struct Telemetry {
    metrics: Metrics,
    #[cfg(feature = "telemetry")]
    traces: Option<SdkTracerProvider>,
}

impl Telemetry {
    /// Sets up logs for the whole process, metrics, and traces when the `OTEL_*` variables name an
    /// endpoint. To be called once, on the Tokio runtime that the server runs on.
    ///
    /// # Errors
    /// A sentence for the operator when a setting cannot be, or when logs were set up before.
    pub fn start(args: &TelemetryArgs) -> Result<Self, TelemetryError> {
        let (telemetry, dispatch) = Self::build(args)?;
        tracing::dispatcher::set_global_default(dispatch)
            .map_err(|_| TelemetryError::AlreadyStarted)?;
        Ok(telemetry)
    }

    fn build(args: &TelemetryArgs) -> Result<(Self, Dispatch), TelemetryError> {
        let metrics = Metrics::default();
        #[cfg(not(feature = "telemetry"))]
        arguments::refuse_traces(&|name| std::env::var(name).ok())?;
        #[cfg(feature = "telemetry")]
        let traces = otlp::provider(&|name| std::env::var(name).ok())?;
        #[cfg_attr(not(feature = "telemetry"), expect(unused_mut))]
        let mut layers: Vec<Box<dyn Layer<Registry> + Send + Sync>> = vec![
            log::layer(args)?,
            CallDurations::new(metrics.clone()).boxed(),
            WorkEvents::boxed(metrics.work().clone()),
        ];
        #[cfg(feature = "telemetry")]
        layers.extend(traces.as_ref().map(otlp::layer));
        let dispatch = Dispatch::new(tracing_subscriber::registry().with(layers));
        let telemetry = Self {
            metrics,
            #[cfg(feature = "telemetry")]
            traces,
        };
        Ok((telemetry, dispatch))
    }

    /// The metrics, to be counted into and to be shown.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Sends the spans that have ended so far.
    pub async fn flush(&self) {
        #[cfg(feature = "telemetry")]
        self.with_traces("flush", |traces| traces.force_flush())
            .await;
    }

    /// Sends the last spans and stops tracing, in five seconds at most.
    pub async fn shutdown(&self) {
        #[cfg(feature = "telemetry")]
        self.with_traces("shutdown", |traces| {
            traces.shutdown_with_timeout(LAST_SPANS)
        })
        .await;
    }

    #[cfg(feature = "telemetry")]
    /// Both calls wait for a thread of the SDK, which waits for this runtime to send: off its workers.
    async fn with_traces<E: std::fmt::Display + Send + 'static>(
        &self,
        action: &'static str,
        call: impl FnOnce(&SdkTracerProvider) -> Result<(), E> + Send + 'static,
    ) {
        let Some(traces) = self.traces.clone() else {
            return;
        };
        match tokio::task::spawn_blocking(move || call(&traces)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, action, "traces were not sent"),
            Err(error) => tracing::warn!(%error, action, "traces were not sent"),
        }
    }
}

impl Observer for Telemetry {
    /// Counts the request and writes its log line. To be called inside the request's HTTP span, whose
    /// trace the line then names.
    fn finished(&self, request: &RequestRecord) {
        self.metrics.finished(request);
        log::write(request);
    }
}
