//! The stores: a folder, and a database on a port that fails, whose indexes are behind and whose shards split.

use std::net::SocketAddr;
use std::time::Duration;

use aws_smithy_runtime_api::client::http::SharedHttpConnector;
use tempfile::TempDir;
use trestle_dynamodb::Embedded;
use trestle_testing::endpoint;
use trestle_testing::faults::{Faults, Seeded};
use trestle_testing::lagging::Lagging;
use trestle_testing::shards::Streamed;

use crate::process::{command, ended};

/// How many of a hundred requests to the database fail. A write whose answer is lost meets any other answer when it is sent
/// again.
const FAILING: u64 = 3;
/// How far the indexes are behind. The binary takes two seconds for the most.
const LAG: Duration = Duration::from_millis(800);

fn drawn() -> Seeded {
    Seeded::of(uuid::Uuid::new_v4().as_u64_pair().1)
}

pub enum Store {
    Embedded(TempDir),
    Faulty {
        address: SocketAddr,
        faults: Faults,
        indexes: Lagging,
        stream: Streamed,
        /// The services' files.
        folder: TempDir,
    },
}

impl Store {
    pub fn embedded() -> Self {
        Self::Embedded(tempfile::tempdir().unwrap())
    }

    /// A database in the test's process, which nothing happens to until [`Store::fail`].
    pub async fn faulty() -> Self {
        let database = SharedHttpConnector::new(Embedded::memory().unwrap());
        let indexes = Lagging::on(database, LAG);
        let stream = Streamed::on(
            SharedHttpConnector::new(indexes.clone()),
            &trestle_applications::TABLE,
            drawn(),
        );
        let faults = Faults::none();
        let connector = faults.connector(SharedHttpConnector::new(stream.clone()));
        Self::Faulty {
            address: endpoint::serve(connector).await,
            faults,
            indexes,
            stream,
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::Embedded(_) => "embedded store",
            Self::Faulty { .. } => "database with faults",
        }
    }

    /// What `trestle` is told of it.
    pub fn arguments(&self) -> Vec<String> {
        let text = |folder: &TempDir| folder.path().to_str().unwrap().to_owned();
        match self {
            Self::Embedded(folder) => vec!["--data".to_owned(), text(folder)],
            Self::Faulty { folder, .. } => vec![
                "--artifacts".to_owned(),
                text(folder),
                "--changes=streams".to_owned(),
            ],
        }
    }

    /// The environment of `trestle`.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Embedded(_) => Vec::new(),
            Self::Faulty { address, .. } => vec![
                ("AWS_ENDPOINT_URL_DYNAMODB", format!("http://{address}")),
                ("AWS_REGION", "eu-central-1".to_owned()),
                ("AWS_ACCESS_KEY_ID", "test".to_owned()),
                ("AWS_SECRET_ACCESS_KEY", "test".to_owned()),
            ],
        }
    }

    pub fn fail(&self) {
        if let Self::Faulty { faults, .. } = self {
            faults.draw_followed(drawn(), FAILING);
        }
    }

    pub fn calm(&self) {
        if let Self::Faulty { faults, .. } = self {
            faults.stop();
        }
    }

    /// Nothing fails any more, and the indexes have everything.
    pub async fn settle(&self) {
        self.calm();
        if let Self::Faulty { indexes, .. } = self {
            indexes.set(Duration::ZERO).await;
        }
    }

    pub fn faults(&self) -> u64 {
        match self {
            Self::Embedded(_) => 0,
            Self::Faulty { faults, .. } => faults.injected(),
        }
    }

    /// How many lost answers of writes were followed by another one.
    pub fn followed(&self) -> u64 {
        match self {
            Self::Embedded(_) => 0,
            Self::Faulty { faults, .. } => faults.followed(),
        }
    }

    /// How many answers of indexes lacked a write.
    pub fn behind(&self) -> u64 {
        match self {
            Self::Embedded(_) => 0,
            Self::Faulty { indexes, .. } => indexes.behind(),
        }
    }

    /// How many children of shards were listed late.
    pub async fn late(&self) -> u64 {
        match self {
            Self::Embedded(_) => 0,
            Self::Faulty { stream, .. } => stream.late().await,
        }
    }

    /// Runs a command that must succeed; what it prints.
    pub async fn good(&self, arguments: &[&str]) -> String {
        let mut command = command(arguments);
        command.envs(self.variables());
        if let Self::Embedded(folder) = self {
            command.env("TRESTLE_DATA", folder.path());
        }
        let ended = ended(command).await;
        assert!(ended.success, "{arguments:?}: {ended:?}");
        ended.output
    }

    /// What the commands say of the store that is left.
    pub async fn check(&self) {
        if let Self::Embedded(_) = self {
            assert_eq!(
                self.good(&["store", "check"]).await,
                "Nothing is damaged.\n"
            );
        }
        let counted = self.good(&["table", "recount", "--all-owners"]).await;
        assert_eq!(counted, "0 counters corrected\n");
    }
}
