# found public-datastore aws_msk_cluster.public
# clear public-datastore aws_msk_cluster.private
# clear unencrypted-datastore aws_msk_cluster.private
# found open-security-group aws_security_group.kafka
# clear open-security-group aws_security_group.inside
# clear public-datastore aws_msk_cluster.limited

resource "aws_security_group" "kafka" {
  ingress {
    protocol    = "tcp"
    from_port   = 9194
    to_port     = 9198
    cidr_blocks = ["0.0.0.0/0"]
  }
}
resource "aws_security_group" "inside" {
  ingress {
    protocol    = "tcp"
    from_port   = 9092
    to_port     = 9098
    cidr_blocks = ["10.0.0.0/8"]
  }
}
resource "aws_msk_cluster" "public" {
  cluster_name = "public"
  broker_node_group_info {
    instance_type   = "kafka.m5.large"
    client_subnets  = ["subnet-1", "subnet-2"]
    security_groups = [aws_security_group.kafka.id]
    connectivity_info {
      public_access { type = "SERVICE_PROVIDED_EIPS" }
    }
  }
}
resource "aws_msk_cluster" "limited" {
  cluster_name = "limited"
  broker_node_group_info {
    instance_type   = "kafka.m5.large"
    client_subnets  = ["subnet-1", "subnet-2"]
    security_groups = [aws_security_group.inside.id]
    connectivity_info {
      public_access { type = "SERVICE_PROVIDED_EIPS" }
    }
  }
}
resource "aws_msk_cluster" "private" {
  cluster_name = "private"
  broker_node_group_info {
    instance_type   = "kafka.m5.large"
    client_subnets  = ["subnet-1", "subnet-2"]
    security_groups = [aws_security_group.kafka.id]
    connectivity_info {
      public_access { type = "DISABLED" }
    }
  }
  encryption_info {
    encryption_in_transit { client_broker = "TLS" }
  }
}
