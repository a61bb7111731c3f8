# A service behind a load balancer, in the style of public modules: count, for_each, dynamic blocks, data
# sources, modules, locals.

terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.0"
    }
  }
}

provider "aws" {
  region = var.region
}

variable "region" {
  type    = string
  default = "eu-central-1"
}

variable "admin_cidrs" {
  type = list(string)
}

variable "create_bastion" {
  type    = bool
  default = true
}

variable "tags" {
  type    = map(string)
  default = {}
}

locals {
  name = "shop-${terraform.workspace}"
  tags = merge(var.tags, { Module = "shop" })
  web_ports = {
    http  = 80
    https = 443
  }
  private_subnets = [for s in aws_subnet.private : s.id]
  database        = aws_db_instance.main.address
}

data "aws_availability_zones" "available" {
  state = "available"
}

data "aws_ami" "ubuntu" {
  most_recent = true
  owners      = ["099720109477"]

  filter {
    name   = "name"
    values = ["ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-amd64-server-*"]
  }
}

module "vpc" {
  source  = "terraform-aws-modules/vpc/aws"
  version = "5.8.1"

  name = local.name
  azs  = slice(data.aws_availability_zones.available.names, 0, 3)

  providers = {
    aws = aws.network
  }
}

resource "aws_subnet" "private" {
  count = 3

  vpc_id            = module.vpc.vpc_id
  availability_zone = data.aws_availability_zones.available.names[count.index]
  cidr_block        = cidrsubnet(module.vpc.vpc_cidr_block, 4, count.index)
  tags              = merge(local.tags, { Name = "${local.name}-private-${count.index}" })
}

resource "aws_security_group" "web" {
  name_prefix = "${local.name}-web-"
  vpc_id      = module.vpc.vpc_id

  dynamic "ingress" {
    for_each = local.web_ports
    iterator = port
    content {
      description      = port.key
      from_port        = port.value
      to_port          = port.value
      protocol         = "tcp"
      cidr_blocks      = ["0.0.0.0/0"]
      ipv6_cidr_blocks = ["::/0"]
    }
  }

  egress {
    from_port   = 0
    to_port     = 0
    protocol    = "-1"
    cidr_blocks = ["0.0.0.0/0"]
  }

  lifecycle {
    create_before_destroy = true
    ignore_changes        = [tags]
  }
}

resource "aws_security_group" "app" {
  name_prefix = "${local.name}-app-"
  vpc_id      = module.vpc.vpc_id
}

resource "aws_security_group_rule" "app_from_web" {
  type                     = "ingress"
  from_port                = 8080
  to_port                  = 8080
  protocol                 = "tcp"
  security_group_id        = aws_security_group.app.id
  source_security_group_id = aws_security_group.web.id
}

resource "aws_security_group" "bastion" {
  count  = var.create_bastion ? 1 : 0
  vpc_id = module.vpc.vpc_id

  dynamic "ingress" {
    for_each = var.admin_cidrs
    content {
      from_port   = 22
      to_port     = 22
      protocol    = "tcp"
      cidr_blocks = [ingress.value]
    }
  }
}

resource "aws_vpc_security_group_ingress_rule" "database_for_all" {
  security_group_id = aws_security_group.database.id
  cidr_ipv4         = "0.0.0.0/0"
  from_port         = 5432
  to_port           = 5432
  ip_protocol       = "tcp"
}

resource "aws_security_group" "database" {
  vpc_id = module.vpc.vpc_id
}

resource "aws_lb" "web" {
  name               = local.name
  load_balancer_type = "application"
  security_groups    = [aws_security_group.web.id]
  subnets            = module.vpc.public_subnets
  depends_on         = [module.vpc]
}

resource "aws_lb" "inside" {
  name     = "${local.name}-inside"
  internal = true
  subnets  = local.private_subnets
}

resource "aws_instance" "app" {
  for_each = toset(["blue", "green"])

  ami                    = data.aws_ami.ubuntu.id
  instance_type          = each.key == "blue" ? "t3.small" : "t3.medium"
  subnet_id              = aws_subnet.private[0].id
  vpc_security_group_ids = [aws_security_group.app.id]

  root_block_device {
    encrypted = true
  }

  user_data = <<-EOT
    #!/bin/bash
    echo "DATABASE=${local.database}" >> /etc/app.env
    %{for port in values(local.web_ports)~}
    echo "PORT=${port}" >> /etc/app.env
    %{endfor~}
  EOT
}

resource "aws_instance" "bastion" {
  ami                         = data.aws_ami.ubuntu.id
  instance_type               = "t3.nano"
  associate_public_ip_address = true
  vpc_security_group_ids      = [aws_security_group.web.id]
}

resource "aws_instance" "maybe" {
  ami                    = data.aws_ami.ubuntu.id
  instance_type          = "t3.nano"
  vpc_security_group_ids = [aws_security_group.web.id]
}

resource "aws_db_instance" "main" {
  engine                 = "postgres"
  instance_class         = "db.t3.medium"
  allocated_storage      = 50
  publicly_accessible    = true
  vpc_security_group_ids = [aws_security_group.database.id]
  password               = random_password.db.result
}

resource "random_password" "db" {
  length = 24
}

resource "aws_elasticache_replication_group" "cache" {
  replication_group_id       = local.name
  description                = "sessions"
  at_rest_encryption_enabled = true
  security_group_ids         = [aws_security_group.missing.id]
}

resource "aws_s3_bucket" "none" {
  count  = 0
  bucket = "never"
  acl    = "public-read"
}

resource "google_composer_environment" "backup" {
  name     = "backup"
  location = "EU"
}
