# found open-security-group aws_security_group.open
# clear open-security-group aws_security_group.offices
# clear open-security-group aws_security_group.origin
# undecided open-security-group aws_security_group.partner

resource "aws_ec2_managed_prefix_list" "anywhere" {
  name           = "anywhere"
  address_family = "IPv4"
  max_entries    = 2
  entry { cidr = "0.0.0.0/0" }
}
resource "aws_ec2_managed_prefix_list" "offices" {
  name           = "offices"
  address_family = "IPv4"
  max_entries    = 5
  dynamic "entry" {
    for_each = { berlin = "198.51.100.0/28", paris = "203.0.113.16/28" }
    content {
      cidr        = entry.value
      description = entry.key
    }
  }
}
data "aws_ec2_managed_prefix_list" "cloudfront" {
  name = "com.amazonaws.global.cloudfront.origin-facing"
}
data "aws_ec2_managed_prefix_list" "partner" {
  name = "partner-networks"
}
resource "aws_security_group" "open" {
  ingress {
    from_port       = 22
    to_port         = 22
    protocol        = "tcp"
    prefix_list_ids = [aws_ec2_managed_prefix_list.anywhere.id]
  }
}
resource "aws_security_group" "offices" {
  ingress {
    from_port       = 22
    to_port         = 22
    protocol        = "tcp"
    prefix_list_ids = [aws_ec2_managed_prefix_list.offices.id]
  }
}
resource "aws_security_group" "origin" {
  ingress {
    from_port       = 443
    to_port         = 443
    protocol        = "tcp"
    prefix_list_ids = [data.aws_ec2_managed_prefix_list.cloudfront.id]
  }
}
resource "aws_security_group" "partner" {
  ingress {
    from_port       = 443
    to_port         = 443
    protocol        = "tcp"
    prefix_list_ids = [data.aws_ec2_managed_prefix_list.partner.id]
  }
}
