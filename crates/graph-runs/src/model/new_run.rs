//! Runs to create.

use super::{
    Digest, Environment, IacFormat, Provenance, Run, RunId, Status, Text, Timestamp, Upload, UserId,
};

/// A run to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRun {
    /// The environment of the infrastructure.
    pub environment: Environment,
    /// Where the file comes from.
    pub provenance: Provenance,
    /// The format of the file that will be uploaded.
    pub format: IacFormat,
    /// The folder of the root module in the file.
    pub root: Option<Text<200>>,
    /// Its size, if announced.
    pub bytes: Option<u64>,
    /// Its SHA-256, if announced.
    pub sha256: Option<Digest>,
}

impl NewRun {
    /// The run whose file goes to `key`, created `now`, and deleted at `expires_at` unless it starts before.
    pub fn make(
        self,
        id: RunId,
        user: UserId,
        key: String,
        now: Timestamp,
        expires_at: Option<Timestamp>,
    ) -> Run {
        Run {
            id,
            user,
            status: Status::Uploaded,
            environment: self.environment,
            created_at: now,
            updated_at: now,
            attempt: 0,
            processing_at: None,
            upload: Upload {
                key,
                format: self.format,
                root: self.root,
                bytes: self.bytes,
                sha256: self.sha256,
            },
            graph_key: None,
            report_key: None,
            summary: None,
            graph_hash: None,
            failure: None,
            provenance: self.provenance,
            expires_at,
        }
    }
}
