//! Which store the commands talk to, and the services' tables in it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use clap::Args;

use crate::applications;
use crate::applications::Changes;
use crate::dynamodb::{Embedded, OpenError, connect_aws, connect_aws_streams};
use crate::server::lambda::is_lambda;
use crate::server::values::Switch;
use crate::table::{StreamReader, Table, Verdict};

use super::Failure;

/// Where the data is.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Store")]
pub struct StoreArgs {
    /// Folder of the embedded store
    #[arg(
        long,
        env = "TRESTLE_DATA",
        value_name = "DIR",
        default_value = "trestle-data"
    )]
    data: PathBuf,

    /// Keep everything in memory, and lose it at the end
    #[arg(long, env = "TRESTLE_MEMORY", value_parser = Switch)]
    memory: bool,

    /// Use DynamoDB, by the AWS SDK's own settings (region, profile, role)
    ///
    /// Chosen without asking where AWS_ENDPOINT_URL_DYNAMODB or AWS_ENDPOINT_URL names an endpoint, and on
    /// AWS Lambda.
    #[arg(long, env = "TRESTLE_AWS", value_parser = Switch)]
    aws: bool,

    /// Name of the table of applications
    #[arg(
        long,
        env = "TRESTLE_APPLICATIONS_TABLE",
        value_name = "NAME",
        default_value = applications::TABLE.default_name
    )]
    applications_table: String,

    /// Name of the table of runs
    #[arg(
        long,
        env = "TRESTLE_GRAPH_RUNS_TABLE",
        value_name = "NAME",
        default_value = crate::graph_runs::TABLE.default_name
    )]
    graph_runs_table: String,
}

/// A store that answers.
pub struct Store {
    client: Client,
    embedded: Option<Embedded>,
    args: StoreArgs,
}

/// How often the embedded store deletes what has expired; DynamoDB does it by itself.
const SWEEP: Duration = Duration::from_secs(60);

impl StoreArgs {
    fn uses_dynamodb(&self) -> bool {
        let named = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let endpoint = named("AWS_ENDPOINT_URL_DYNAMODB") || named("AWS_ENDPOINT_URL");
        self.aws || (!self.memory && (endpoint || is_lambda()))
    }

    /// The name of the table of applications.
    pub fn applications_table(&self) -> &str {
        &self.applications_table
    }

    /// The name of the table of runs.
    pub fn graph_runs_table(&self) -> &str {
        &self.graph_runs_table
    }

    /// Opens the store. The embedded one is made where it is not there.
    ///
    /// # Errors
    /// The store does not open, or two were asked for.
    pub async fn open(self) -> Result<Store, Failure> {
        if self.is_elsewhere()? {
            return Ok(self.elsewhere().await);
        }
        let embedded = match self.memory {
            true => Embedded::memory(),
            false => Embedded::open(&self.data),
        };
        self.embedded(embedded)
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

    /// Opens the store for a command that only tries: where there is no embedded one, or the table of
    /// applications is not in it, an empty one in memory stands for what would be made.
    ///
    /// # Errors
    /// As of [`StoreArgs::open`].
    pub async fn open_to_try(self) -> Result<Store, Failure> {
        let what = match self.clone().find().await? {
            None => format!("store in {}", self.data.display()),
            Some(store) => {
                let table = store.applications();
                if store.embedded.is_none() || table.check().await? != Verdict::Missing {
                    return Ok(store);
                }
                format!("table {}", table.name())
            }
        };
        if !self.memory {
            eprintln!("There is no {what} yet; an import makes it.");
        }
        let in_memory = Self {
            memory: true,
            aws: false,
            ..self
        };
        in_memory.open().await
    }

    /// That there is no store.
    pub fn missing(&self) -> Failure {
        Failure(format!(
            "There is no store in {}: name its folder with --data, or make one with `trestle table create`.",
            self.data.display()
        ))
    }

    fn is_elsewhere(&self) -> Result<bool, Failure> {
        if self.memory && self.aws {
            return Err(Failure("Give --memory or --aws, not both.".to_owned()));
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
            let advice = match &error {
                OpenError::Folder { .. } => {
                    "This user has to be able to write the folder and its files, even to read the store; \
                     name another folder with --data"
                }
                OpenError::NotAStore { .. } | OpenError::Store(_) => {
                    "Name another folder with --data"
                }
            };
            let Failure(why) = error.into();
            Failure(format!("{why}. {advice}."))
        })?;
        Ok(Store {
            client: embedded.client(),
            embedded: Some(embedded),
            args: self,
        })
    }
}

impl Store {
    /// The table of applications.
    pub fn applications(&self) -> Table {
        Table::new(
            self.client.clone(),
            &applications::TABLE,
            &self.args.applications_table,
        )
    }

    /// The table of runs.
    pub fn graph_runs(&self) -> Table {
        Table::new(
            self.client.clone(),
            &crate::graph_runs::TABLE,
            &self.args.graph_runs_table,
        )
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
            let Failure(cause) = error.into();
            if self.embedded.is_some() {
                return Failure(format!(
                    "The store cannot be asked for the table {name}: {cause}."
                ));
            }
            Failure(format!(
                "DynamoDB cannot be asked for the table {name}: {cause}. Check the region, the \
                 credentials and AWS_ENDPOINT_URL_DYNAMODB, if it is set."
            ))
        });
        match checked? {
            Verdict::Good => Ok(()),
            Verdict::Missing => Err(Failure(format!(
                "There is no table {name}. `trestle table create` makes it."
            ))),
            Verdict::Differs(differences) => Err(Failure(format!(
                "The table {name} is not what the service needs: {}. Name another one, or mend this one.",
                differences.join("; ")
            ))),
        }
    }

    /// Starts to announce what the table's stream says. The embedded store's table is given a stream where
    /// it has none, elsewhere it has to be there.
    pub async fn follow(&self, table: &Table, changes: Changes) -> Result<(), Failure> {
        let client = match &self.embedded {
            Some(embedded) => {
                table.enable_stream().await?;
                embedded.streams_client()
            }
            None => connect_aws_streams().await,
        };
        let Some(stream) = table.stream().await? else {
            return Err(Failure(format!(
                "The table {} has no stream of new and old images: turn it on, or leave out --changes \
                 streams.",
                table.name()
            )));
        };
        let reader = StreamReader::open(client, stream).await?;
        tokio::spawn(applications::follow(reader, changes));
        Ok(())
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
