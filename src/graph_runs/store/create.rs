//! Making runs.

use uuid::Uuid;

use crate::graph_runs::artifacts::{self, Expected, SignedUrl};
use crate::graph_runs::error::{ChangeError, StoreError};
use crate::graph_runs::items::RunItem;
use crate::graph_runs::model::{IacFormat, NewRun, Rule, Run, RunId, Upload, Violation};

use super::Runs;

/// What will be uploaded.
#[derive(Clone, Debug)]
pub struct NewUpload {
    /// Its syntax.
    pub format: IacFormat,
    /// What the bytes have to be, as far as that is known.
    pub expected: Expected,
}

/// A run that was made, and where its file goes.
#[derive(Clone, Debug)]
pub struct Created {
    /// The run.
    pub run: Run,
    /// Where to put the file.
    pub upload: SignedUrl,
}

impl Runs {
    /// Makes a run of the viewer. `USER#user` / `RUN#createdAt#run`, one PutItem.
    ///
    /// # Errors
    /// [`ChangeError::Invalid`], [`ChangeError::Store`].
    pub async fn create(&self, new: NewRun, upload: NewUpload) -> Result<Created, ChangeError> {
        let max = self.settings().max_upload;
        if upload
            .expected
            .bytes
            .is_some_and(|bytes| bytes == 0 || bytes > max)
        {
            return Err(ChangeError::Invalid(vec![Violation {
                field: "iacBytes",
                rule: Rule::OutOfRange(1, max),
            }]));
        }
        let user = self.user();
        let id = Uuid::new_v4().simple().to_string();
        let id = RunId::parse(&id).map_err(|rule| {
            ChangeError::Invalid(vec![Violation {
                field: "runId",
                rule,
            }])
        })?;
        let file = Upload {
            key: artifacts::upload_key(new.environment, &user, &id, upload.format),
            format: upload.format,
        };
        let signed = self.upload_url(&file.key, &upload.expected).await?;
        let run = new.make(id, user, file, self.now());
        self.place
            .table
            .put_new(&RunItem::from(&run), &self.meter)
            .await
            .map_err(StoreError::from)?;
        Ok(Created {
            run,
            upload: signed,
        })
    }

    async fn upload_url(&self, key: &str, expected: &Expected) -> Result<SignedUrl, StoreError> {
        let max = self.settings().max_upload;
        Ok(self.artifacts().upload_url(key, max, expected).await?)
    }

    /// Another URL for the file of a run that has not started. No call.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn upload_again(&self, run: &Run) -> Result<SignedUrl, StoreError> {
        self.upload_url(&run.upload.key, &Expected::default()).await
    }
}
