# found unencrypted-datastore aws_db_instance.plain
# clear unencrypted-datastore aws_db_instance.encrypted
# clear unencrypted-datastore aws_db_instance.replica
# found unencrypted-datastore aws_rds_cluster.aurora
# undecided unencrypted-datastore aws_db_instance.restored

variable "encrypted" {
  type    = bool
  default = true
}
variable "snapshot" { type = string }
resource "aws_db_instance" "plain" {
  engine         = "mysql"
  instance_class = "db.t3.micro"
}
resource "aws_db_instance" "encrypted" {
  engine            = "mysql"
  instance_class    = "db.t3.micro"
  storage_encrypted = var.encrypted
}
resource "aws_db_instance" "replica" {
  instance_class      = "db.t3.micro"
  replicate_source_db = aws_db_instance.encrypted.identifier
}
resource "aws_rds_cluster" "aurora" {
  engine             = "aurora-postgresql"
  cluster_identifier = "aurora"
}
resource "aws_db_instance" "restored" {
  instance_class      = "db.t3.micro"
  snapshot_identifier = var.snapshot
}
