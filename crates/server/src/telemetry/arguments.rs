//! What the operator says about logs, and what is wrong with the settings. Traces have the standard
//! `OTEL_*` variables instead.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;

/// How the server logs.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Logs")]
pub struct TelemetryArgs {
    /// What to log: a level, or levels by module, such as `warn,trestle=debug` [default: RUST_LOG or info]
    #[arg(long, env = "TRESTLE_LOG", value_name = "FILTER")]
    pub log: Option<String>,

    /// Format of the log
    #[arg(long, env = "TRESTLE_LOG_FORMAT", value_enum, default_value_t)]
    pub log_format: LogFormat,
}

/// How log lines look.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// Text on a terminal, JSON elsewhere.
    #[default]
    Auto,
    /// Lines of text.
    Text,
    /// One JSON object per line.
    Json,
}

/// Why the server does not start with these settings. Each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The log filter is none.
    #[error("The log filter {filter:?} is not right: {cause}. Try `info` or `warn,trestle=debug`.")]
    Filter {
        /// As given.
        filter: String,
        /// What is wrong.
        #[source]
        cause: tracing_subscriber::filter::ParseError,
    },
    /// Traces are wanted in a way that the server does not have.
    #[error("{variable} is {value:?}, which this server does not have: {instead}.")]
    Unsupported {
        /// The environment variable.
        variable: &'static str,
        /// Its value.
        value: String,
        /// What it has.
        instead: &'static str,
    },
    #[cfg(not(feature = "telemetry"))]
    /// Traces are wanted of a build without them.
    #[error(
        "{0} is set, and this build sends no traces. Build it with `--features telemetry` or `--features full`, or unset \
         the variable."
    )]
    NotBuilt(&'static str),
    #[cfg(feature = "telemetry")]
    /// The exporter refuses its environment variables.
    #[error("Cannot set up traces from the OTEL_* variables: {0}")]
    Exporter(#[from] opentelemetry_otlp::ExporterBuildError),
    /// Traces were asked for outside of a Tokio runtime.
    #[error("Traces need a running Tokio runtime.")]
    Runtime(#[from] tokio::runtime::TryCurrentError),
    /// There is one log for a process.
    #[error("Logs were set up before.")]
    AlreadyStarted,
}

impl TelemetryArgs {
    pub(super) fn filter(&self) -> Result<EnvFilter, TelemetryError> {
        let given = [self.log.clone(), std::env::var("RUST_LOG").ok()];
        let mut given = given.into_iter().flatten();
        let filter = given
            .find(|text| !text.trim().is_empty())
            .unwrap_or_else(|| "info".to_owned());
        EnvFilter::try_new(&filter).map_err(|cause| TelemetryError::Filter { filter, cause })
    }

    pub(super) fn as_json(&self) -> bool {
        match self.log_format {
            LogFormat::Auto => !std::io::stderr().is_terminal(),
            LogFormat::Text => false,
            LogFormat::Json => true,
        }
    }
}

/// Refuses the variables that ask for traces, in a build that has none.
///
/// # Errors
/// One of them asks for traces.
#[cfg(not(feature = "telemetry"))]
pub(super) fn refuse_traces(given: &dyn Fn(&str) -> Option<String>) -> Result<(), TelemetryError> {
    const ENDPOINTS: [&str; 3] = [
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
        "OTEL_TRACES_EXPORTER",
    ];
    let is = |name: &str, value: &str| given(name).is_some_and(|it| it.eq_ignore_ascii_case(value));
    if is("OTEL_SDK_DISABLED", "true") || is("OTEL_TRACES_EXPORTER", "none") {
        return Ok(());
    }
    for name in ENDPOINTS {
        if given(name).is_some_and(|value| !value.is_empty()) {
            return Err(TelemetryError::NotBuilt(name));
        }
    }
    Ok(())
}
