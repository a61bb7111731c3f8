//! What answers a test's service: the embedded store in process, unless `TRESTLE_TEST_STORE` names another
//! implementation behind a socket, which the SDK then asks with its own HTTP client.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::interceptors::{
    BeforeTransmitInterceptorContextMut, BeforeTransmitInterceptorContextRef,
};
use aws_sdk_dynamodb::config::{
    BehaviorVersion, Config, ConfigBag, Credentials, Intercept, Region, RuntimeComponents,
};
use aws_sdk_dynamodb::error::BoxError;
use dynoxide::{Database, server};
use tokio::net::TcpListener;

use super::Calls;

/// The variable that names the store: nothing, [`DYNOXIDE`], or the URL of a moto server.
pub const STORE: &str = "TRESTLE_TEST_STORE";
/// dynoxide's HTTP server, one for each service.
pub const DYNOXIDE: &str = "dynoxide-http";

/// A client of the store that [`STORE`] names, which holds nothing yet; none where it names none.
pub async fn named(calls: &Calls) -> Option<Client> {
    let store = std::env::var(STORE).ok()?;
    if store != DYNOXIDE {
        return Some(client(&store, calls));
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("it is bound");
    let database = Database::memory().expect("a store in memory");
    tokio::spawn(server::serve_on(listener, database));
    Some(client(&format!("http://{address}"), calls))
}

/// Whether another store than the embedded one answers: then what takes many rounds takes fewer.
pub fn is_second_opinion() -> bool {
    std::env::var_os(STORE).is_some()
}

/// How many requests that write may be on their way at the same time: one on moto, where transactions that
/// meet undo each other's writes.
pub fn at_once() -> usize {
    match std::env::var(STORE) {
        Ok(store) if store != DYNOXIDE => 1,
        _ => 4,
    }
}

/// A client of `endpoint`, of an account of its own where that knows accounts.
fn client(endpoint: &str, calls: &Calls) -> Client {
    static ACCOUNTS: AtomicU64 = AtomicU64::new(1);
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("eu-central-1"))
        .credentials_provider(Credentials::new("test", "test", None, None, "test"))
        .endpoint_url(endpoint)
        .interceptor(Each {
            account: format!("{:012}", ACCOUNTS.fetch_add(1, Relaxed)),
            calls: calls.clone(),
        })
        .build();
    Client::from_conf(config)
}

/// Names the account in each request, as moto takes it, and counts the request.
#[derive(Debug)]
struct Each {
    account: String,
    calls: Calls,
}

impl Intercept for Each {
    fn name(&self) -> &'static str {
        "Each"
    }

    fn modify_before_signing(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let headers = context.request_mut().headers_mut();
        headers.insert("x-moto-account-id", self.account.clone());
        Ok(())
    }

    fn read_before_transmit(
        &self,
        context: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        self.calls.count(context.request());
        Ok(())
    }
}
