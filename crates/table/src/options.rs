//! What a new table has beyond its definition.

use aws_sdk_dynamodb::types::{OnDemandThroughput, StreamSpecification, StreamViewType, Tag};

use super::TableError;

/// What a new table has beyond its definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableOptions {
    /// Can be restored to any moment of the last 35 days.
    pub point_in_time_recovery: bool,
    /// Cannot be deleted until this is taken off.
    pub deletion_protection: bool,
    /// Has a stream with old and new items.
    pub stream: bool,
    /// Keys and values.
    pub tags: Vec<(String, String)>,
    /// The most read request units per second.
    pub max_read: Option<u32>,
    /// The most write request units per second.
    pub max_write: Option<u32>,
}

impl TableOptions {
    pub(super) fn stream_specification(&self) -> Result<Option<StreamSpecification>, TableError> {
        if !self.stream {
            return Ok(None);
        }
        let specification = StreamSpecification::builder()
            .stream_enabled(true)
            .stream_view_type(StreamViewType::NewAndOldImages)
            .build()
            .map_err(TableError::built)?;
        Ok(Some(specification))
    }

    pub(super) fn tags(&self) -> Result<Option<Vec<Tag>>, TableError> {
        let tags = self.tags.iter().map(|(key, value)| {
            let tag = Tag::builder().key(key).value(value);
            tag.build().map_err(TableError::built)
        });
        let tags = tags.collect::<Result<Vec<_>, _>>()?;
        Ok(Some(tags).filter(|tags| !tags.is_empty()))
    }

    pub(super) fn throughput(&self) -> Option<OnDemandThroughput> {
        if self.max_read.is_none() && self.max_write.is_none() {
            return None;
        }
        let throughput = OnDemandThroughput::builder()
            .set_max_read_request_units(self.max_read.map(i64::from))
            .set_max_write_request_units(self.max_write.map(i64::from));
        Some(throughput.build())
    }
}
