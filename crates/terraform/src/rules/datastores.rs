//! What datastores inherit.

/// Arguments that name a source from which a datastore inherits its encryption.
pub const INHERITS: [&str; 8] = [
    "global_cluster_identifier",
    "global_replication_group_id",
    "replicate_source_db",
    "replication_source_identifier",
    "restore_to_point_in_time",
    "snapshot_id",
    "snapshot_identifier",
    "source_db_cluster_identifier",
];
