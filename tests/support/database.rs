//! A DynamoDB on a port, which can go away and come back.

#![allow(dead_code, reason = "each test target uses a part of it")]

use std::net::SocketAddr;

use dynoxide::{Database as Store, server};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};

use crate::process::{command, ended};

/// A database in memory behind a connection that the test can cut.
pub struct Database {
    /// Where clients find it.
    pub address: SocketAddr,
    behind: SocketAddr,
    between: Between,
}

/// What passes connections on, or only keeps them.
struct Between {
    task: JoinHandle<()>,
    /// Sending ends it.
    end: oneshot::Sender<()>,
}

impl Database {
    /// A database with the tables of the services in it, made by `trestle table create`.
    pub async fn start() -> Self {
        let database = Self::empty().await;
        let mut create = command(&["table", "create"]);
        create.envs(variables(&database.url()));
        let made = ended(create).await;
        assert!(made.success, "{}", made.log);
        database
    }

    /// A database without a table.
    pub async fn empty() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let behind = listener.local_addr().expect("an address");
        let store = Store::memory().expect("a store");
        tokio::spawn(server::serve_on(listener, store));
        let front = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        Self {
            address: front.local_addr().expect("an address"),
            behind,
            between: Between::start(|end| pass_on(front, behind, end)),
        }
    }

    /// For `AWS_ENDPOINT_URL_DYNAMODB`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Connections are refused, open ones cut.
    pub async fn refuse(&mut self) {
        let nothing = Between::start(|_| async {});
        let between = std::mem::replace(&mut self.between, nothing);
        // An error: it has ended already.
        let _ = between.end.send(());
        // Until the listener and all connections have gone.
        between.task.await.expect("no panic");
    }

    /// Connections are accepted and nothing is answered; open ones are cut.
    pub async fn hang(&mut self) {
        self.refuse().await;
        let front = TcpListener::bind(self.address).await.expect("the port");
        self.between = Between::start(|end| keep(front, end));
    }

    /// As it was before.
    pub async fn come_back(&mut self) {
        self.refuse().await;
        let front = TcpListener::bind(self.address).await.expect("the port");
        let behind = self.behind;
        self.between = Between::start(|end| pass_on(front, behind, end));
    }
}

/// The SDK's variables for a database at `url`.
pub fn variables(url: &str) -> [(&'static str, &str); 4] {
    [
        ("AWS_ENDPOINT_URL_DYNAMODB", url),
        ("AWS_REGION", "eu-west-1"),
        ("AWS_ACCESS_KEY_ID", "test"),
        ("AWS_SECRET_ACCESS_KEY", "test"),
    ]
}

impl Between {
    fn start<F>(run: impl FnOnce(oneshot::Receiver<()>) -> F) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (end, ended) = oneshot::channel();
        Self {
            task: tokio::spawn(run(ended)),
            end,
        }
    }
}

async fn keep(front: TcpListener, mut end: oneshot::Receiver<()>) {
    let mut open = Vec::new();
    loop {
        tokio::select! {
            Ok((client, _)) = front.accept() => open.push(client),
            _ = &mut end => return,
        }
    }
}

async fn pass_on(front: TcpListener, behind: SocketAddr, mut end: oneshot::Receiver<()>) {
    let mut open = JoinSet::new();
    loop {
        tokio::select! {
            Ok((client, _)) = front.accept() => {
                open.spawn(connect(client, behind));
            }
            _ = &mut end => break,
        }
    }
    open.shutdown().await;
}

async fn connect(mut client: TcpStream, behind: SocketAddr) {
    if let Ok(mut server) = TcpStream::connect(behind).await {
        // An error is the end of a connection, as any other.
        let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
    }
}
