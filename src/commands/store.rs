//! Which store the commands talk to, and the services' tables in it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use clap::{ArgMatches, Args};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::table_names::TableNames;
use crate::services::SERVICES;
use trestle_dynamodb::{Embedded, ExpectedIndex, OpenError, connect_aws, connect_aws_streams};
use trestle_server::lambda::is_lambda;
use trestle_service::flags::Switch;
use trestle_service::{Failure, Registered, ServiceContext, Streams};
use trestle_table::clock::Clock;
use trestle_table::{StreamReader, Table, TableCheck, TableDefinition, Tables};

/// Where the data is.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Store")]
pub struct StoreArgs {
    /// Folder of the embedded store
    #[arg(
        long,
        env = "TRESTLE_DATA",
        value_name = "DIR",
        default_value = DEFAULT_FOLDER
    )]
    pub(super) data: PathBuf,

    /// Keep all data in memory. It is lost when the process ends
    #[arg(long, env = "TRESTLE_MEMORY", value_parser = Switch)]
    pub(super) memory: bool,

    /// Use DynamoDB, with the AWS SDK's settings (region, profile, role)
    ///
    /// Implied by AWS_ENDPOINT_URL_DYNAMODB and AWS_ENDPOINT_URL, and on AWS Lambda.
    #[arg(long, env = "TRESTLE_AWS", value_parser = Switch)]
    pub(super) aws: bool,

    #[command(flatten)]
    names: TableNames,
}

/// The folder of the embedded store if none is named.
const DEFAULT_FOLDER: &str = "trestle-data";

/// A store that answers.
pub struct Store {
    client: Client,
    pub(super) embedded: Option<Embedded>,
    args: StoreArgs,
}

/// How often the embedded store deletes what has expired; DynamoDB does it by itself.
const SWEEP: Duration = Duration::from_secs(60);

/// How long an index of DynamoDB is behind the table, unless something is wrong with it. Those of the embedded store are not.
const INDEX_LAG: Duration = Duration::from_secs(2);

impl StoreArgs {
    fn uses_dynamodb(&self) -> bool {
        let mut endpoints = ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"]
            .into_iter()
            .filter_map(std::env::var_os);
        let has_endpoint = endpoints.any(|value| !value.is_empty());
        self.aws || (!self.memory && (has_endpoint || is_lambda()))
    }

    /// What this deployment calls a table.
    pub fn name_of(&self, definition: &'static TableDefinition) -> &str {
        self.names.name_of(definition)
    }

    /// Opens the store. The embedded one is made where it is not there.
    ///
    /// # Errors
    /// The store does not open, or two were asked for.
    pub async fn open(self) -> Result<Store, Failure> {
        if self.is_elsewhere()? {
            return Ok(self.elsewhere().await);
        }
        let embedded = if self.memory {
            Embedded::memory()
        } else {
            self.warn_if_new();
            Embedded::open(&self.data)
        };
        self.embedded(embedded)
    }

    /// Warns if a folder that the operator named has no store yet: a volume that is not mounted looks like this.
    fn warn_if_new(&self) {
        // The default folder of a first start has none either, and nobody expects one there.
        if self.data != Path::new(DEFAULT_FOLDER)
            && matches!(Embedded::is_there(&self.data), Ok(false))
        {
            tracing::warn!(folder = %self.data.display(), "there is no store in the data folder: an empty one is begun");
        }
    }

    /// Opens the store for a command that makes none: `None` where there is no embedded one.
    ///
    /// # Errors
    /// As of [`StoreArgs::open`].
    pub async fn find(self) -> Result<Option<Store>, Failure> {
        if self.memory || self.is_elsewhere()? {
            return self.open().await.map(Some);
        }
        match Embedded::find(&self.data) {
            Ok(None) => Ok(None),
            Ok(Some(embedded)) => self.embedded(Ok(embedded)).map(Some),
            Err(error) => self.embedded(Err(error)).map(Some),
        }
    }

    /// Opens the store that has to be there.
    ///
    /// # Errors
    /// As of [`StoreArgs::open`], and where there is no store.
    pub async fn open_there(self) -> Result<Store, Failure> {
        let missing = self.missing();
        self.find().await?.ok_or(missing)
    }

    /// The folder of the embedded store.
    ///
    /// # Errors
    /// The store is not embedded, or not on disk.
    pub fn disk_folder(&self) -> Result<&Path, Failure> {
        if self.memory || self.is_elsewhere()? {
            Err(Self::not_on_disk())
        } else {
            Ok(&self.data)
        }
    }

    /// The folder of an embedded store that is there. Opens nothing, so that it works for a damaged store.
    ///
    /// # Errors
    /// As of [`StoreArgs::disk_folder`], and where there is no store.
    pub fn folder_there(&self) -> Result<&Path, Failure> {
        let folder = self.disk_folder()?;
        match Embedded::is_there(folder) {
            Ok(true) => Ok(folder),
            Ok(false) => Err(self.missing()),
            Err(error) => {
                let advice = error.advice();
                Err(Failure::new(format!("{error}. {advice}.")))
            }
        }
    }

    /// That a command needs an embedded store on disk.
    pub fn not_on_disk() -> Failure {
        Failure::new(
            "This command is for an embedded store on disk. DynamoDB has backups and point-in-time recovery of its own.",
        )
    }

    /// The indexes that the services' tables must have.
    pub fn expected_indexes(&self) -> Vec<ExpectedIndex> {
        let mut expected = Vec::new();
        for table in SERVICES.iter().flat_map(|service| service.tables) {
            for index in table.indexes {
                let keys = std::iter::once(index.partition_key).chain(index.sort_key);
                expected.push(ExpectedIndex {
                    table: self.name_of(table).to_owned(),
                    index: index.name.to_owned(),
                    key: keys.map(|key| key.name.to_owned()).collect(),
                });
            }
        }
        expected
    }

    /// That there is no store.
    pub fn missing(&self) -> Failure {
        Failure::new(format!(
            "There is no store in {}: name its folder with --data, or make one with `trestle table create`.",
            self.data.display()
        ))
    }

    fn is_elsewhere(&self) -> Result<bool, Failure> {
        if self.memory && self.aws {
            return Err(Failure::new("Give --memory or --aws, not both."));
        }
        Ok(self.uses_dynamodb())
    }

    async fn elsewhere(self) -> Store {
        Store {
            client: connect_aws().await,
            embedded: None,
            args: self,
        }
    }

    fn embedded(self, opened: Result<Embedded, OpenError>) -> Result<Store, Failure> {
        let embedded = opened.map_err(|error| {
            let advice = error.advice();
            let why = Failure::from(error);
            Failure::new(format!("{why}. {advice}."))
        })?;
        Ok(Store {
            client: embedded.client(),
            embedded: Some(embedded),
            args: self,
        })
    }
}

impl Store {
    /// A table.
    pub fn table(&self, definition: &'static TableDefinition) -> Table {
        let name = self.args.name_of(definition);
        let table = Table::new(self.client.clone(), definition, name);
        if self.embedded.is_some() {
            return table;
        }
        table.with_index_lag(INDEX_LAG)
    }

    /// The store, if it is embedded and on disk.
    pub fn on_disk(&self) -> Option<&Embedded> {
        let embedded = self.embedded.as_ref();
        embedded.filter(|_| !self.args.memory)
    }

    /// The indexes that the services' tables must have.
    pub fn expected_indexes(&self) -> Vec<ExpectedIndex> {
        self.args.expected_indexes()
    }

    /// Where the data is, in words for the operator.
    pub fn place(&self) -> String {
        match (&self.embedded, self.args.memory) {
            (None, _) => "in DynamoDB".to_owned(),
            (Some(_), true) => "in memory, and lost when the server stops".to_owned(),
            (Some(_), false) => {
                let folder = std::path::absolute(&self.args.data);
                let folder = folder.unwrap_or_else(|_| self.args.data.clone());
                format!("in {}", folder.display())
            }
        }
    }

    /// The folder of the embedded store, if it has one.
    pub fn folder(&self) -> Option<&Path> {
        let on_disk = self.embedded.is_some() && !self.args.memory;
        on_disk.then_some(self.args.data.as_path())
    }

    /// Makes sure that a table is what its service needs: in the embedded store it is created where it is
    /// missing, elsewhere only checked.
    ///
    /// # Errors
    /// As of [`Store::require`], where the store is not embedded.
    pub async fn ensure(&self, table: &Table) -> Result<(), Failure> {
        if self.embedded.is_some() {
            return Ok(table.open_or_create().await?);
        }
        self.require(table).await
    }

    /// Makes sure that a table is there and what its service needs, and makes none.
    ///
    /// # Errors
    /// It is missing, or differs, or the store does not answer.
    pub async fn require(&self, table: &Table) -> Result<(), Failure> {
        let name = table.name();
        let checked = table.check().await.map_err(|error| {
            let cause = Failure::from(error);
            if self.embedded.is_some() {
                return Failure::new(format!(
                    "The store cannot be asked for the table {name}: {cause}."
                ));
            }
            Failure::new(format!(
                "DynamoDB cannot be asked for the table {name}: {cause}. Check the region, the \
                 credentials and AWS_ENDPOINT_URL_DYNAMODB, if it is set."
            ))
        });
        match checked? {
            TableCheck::Good => Ok(()),
            TableCheck::Missing => Err(Failure::new(format!(
                "There is no table {name}. `trestle table create` makes it."
            ))),
            TableCheck::Differs(differences) => Err(Failure::new(format!(
                "The table {name} is not what the service needs: {}. Name another one, or mend this one.",
                differences.join("; ")
            ))),
        }
    }

    /// The tables of a service.
    pub fn tables(&self, service: &Registered) -> Vec<Table> {
        let tables = service.tables.iter();
        tables.map(|table| self.table(table)).collect()
    }

    /// What a service is opened with. Its tables are created or checked, as of [`Store::ensure`].
    ///
    /// # Errors
    /// As of [`Store::ensure`].
    pub async fn service_context<'o>(
        &'o self,
        service: &Registered,
        arguments: &'o ArgMatches,
    ) -> Result<ServiceContext<'o>, Failure> {
        self.service_context_at(self.clock(), service, arguments)
            .await
    }

    /// The system's clock, which the store trusts or not.
    pub fn clock(&self) -> Clock {
        match self.embedded.clone() {
            Some(embedded) => Clock::system().trusted_by(move || embedded.is_clock_trusted()),
            None => Clock::system(),
        }
    }

    /// The same with another clock.
    ///
    /// # Errors
    /// As of [`Store::ensure`].
    pub async fn service_context_at<'o>(
        &'o self,
        clock: Clock,
        service: &Registered,
        arguments: &'o ArgMatches,
    ) -> Result<ServiceContext<'o>, Failure> {
        let tables = self.tables(service);
        for table in &tables {
            self.ensure(table).await?;
        }
        Ok(ServiceContext {
            tables: Tables::new(tables, clock.clone()),
            arguments,
            clock,
            folder: self.folder(),
            is_in_memory: self.embedded.is_some() && self.args.memory,
            streams: self,
        })
    }

    /// Refuses writes from now on. The file of an embedded store on disk has all of its data then.
    pub async fn close(&self) {
        if let Some(embedded) = self.on_disk() {
            embedded.close().await;
        }
    }

    /// Starts what the store needs to have done while it runs.
    pub fn maintain(&self) {
        let Some(embedded) = self.embedded.clone() else {
            return;
        };
        tokio::spawn(async move {
            let mut ticks = tokio::time::interval(SWEEP);
            loop {
                ticks.tick().await;
                embedded.sweep().await;
            }
        });
    }
}

impl Streams for Store {
    fn open<'s>(&'s self, table: &'s Table) -> BoxFuture<'s, Result<StreamReader, Failure>> {
        let opened = async move {
            let client = match &self.embedded {
                Some(embedded) => {
                    table.enable_stream().await?;
                    embedded.streams_client()
                }
                None => connect_aws_streams().await,
            };
            let Some(stream) = table.stream().await? else {
                return Err(Failure::new(format!(
                    "The table {} has no stream of new and old images. Enable it, or leave out \
                     --changes streams.",
                    table.name()
                )));
            };
            Ok(StreamReader::open(client, stream).await?)
        };
        opened.boxed()
    }
}
