//! Pictures of complete runs' graphs, drawn once and kept as objects.

use crate::error::StoreError;
use crate::graph::Picture;
use crate::model::Run;
use crate::objects;
use trestle_files::{Download, SignedUrl};

use super::{Runs, URL_LIFETIME};

impl Runs {
    /// A URL for a picture of a run's graph; `None` unless the run is complete. The first time, one read and one write of
    /// the object store; after that, one look.
    ///
    /// # Errors
    /// [`StoreError::TooLargeToDraw`], [`StoreError`].
    pub async fn picture_url(
        &self,
        run: &Run,
        picture: Picture,
    ) -> Result<Option<SignedUrl>, StoreError> {
        let Some(hash) = &run.graph_hash else {
            return Ok(None);
        };
        let key = objects::picture(run, hash, picture.word());
        if self.files().size(&key).await?.is_none() {
            let Some(rows) = self.rows(run).await? else {
                return Ok(None);
            };
            let drawn = tokio::task::spawn_blocking(move || picture.of(&rows)).await;
            let failed = |_| StoreError::LostGraph("it cannot be drawn".to_owned());
            let drawn = drawn.map_err(failed)??;
            self.files().put(&key, drawn.into_bytes()).await?;
        }
        let download = Download {
            name: Some(format!("{}-graph.{}", run.id, picture.word())),
            content_type: Some(picture.media_type().to_owned()),
            reader: None,
        };
        let signed = self.files().download_url(&key, &download, URL_LIFETIME);
        Ok(Some(signed.await?))
    }
}
