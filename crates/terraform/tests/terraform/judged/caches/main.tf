# found unencrypted-datastore aws_elasticache_replication_group.sessions
# clear unencrypted-datastore aws_elasticache_replication_group.carts
# clear unencrypted-datastore aws_elasticache_replication_group.valkey
# clear unencrypted-datastore aws_elasticache_serverless_cache.api
# found unencrypted-datastore aws_elasticache_cluster.redis
# clear unencrypted-datastore aws_elasticache_cluster.memcached
# clear unencrypted-datastore aws_elasticache_cluster.node

resource "aws_elasticache_replication_group" "sessions" {
  replication_group_id = "sessions"
  description          = "sessions"
  engine               = "redis"
}
resource "aws_elasticache_replication_group" "carts" {
  replication_group_id       = "carts"
  description                = "carts"
  at_rest_encryption_enabled = true
  transit_encryption_enabled = true
}
resource "aws_elasticache_replication_group" "valkey" {
  replication_group_id = "valkey"
  description          = "valkey"
  engine               = "valkey"
}
resource "aws_elasticache_serverless_cache" "api" {
  engine = "valkey"
  name   = "api"
}
resource "aws_elasticache_cluster" "redis" {
  cluster_id = "redis"
  engine     = "redis"
}
resource "aws_elasticache_cluster" "memcached" {
  cluster_id = "memcached"
  engine     = "memcached"
}
resource "aws_elasticache_cluster" "node" {
  cluster_id           = "carts-extra"
  replication_group_id = aws_elasticache_replication_group.carts.id
}
