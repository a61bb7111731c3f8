//! A store that speaks DynamoDB's protocol, in a process of its own.

use std::path::Path;

use dynoxide::{Database, server};
use tokio::net::TcpListener;

/// The name of the embedded store's file in its folder.
const FILE: &str = "trestle.sqlite";

/// Serves the store in `data` on a free port, which it prints.
pub async fn serve(data: &Path) {
    let file = data.join(FILE);
    let store = Database::new(file.to_str().expect("UTF-8")).expect("a store");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("http://{}", listener.local_addr().expect("an address"));
    server::serve_on(listener, store).await;
}

/// The SDK's variables for a store at `url`.
pub fn variables(url: &str) -> [(&'static str, &str); 4] {
    [
        ("AWS_ENDPOINT_URL_DYNAMODB", url),
        ("AWS_REGION", "eu-west-1"),
        ("AWS_ACCESS_KEY_ID", "bench"),
        ("AWS_SECRET_ACCESS_KEY", "bench"),
    ]
}
