//! Cases that look closed and are not, or that the files do not tell.

/// A name, a configuration, the exposed nodes, and the nodes that are not decided.
pub type Case = (
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

pub const CASES: [Case; 9] = [
    (
        "a document with the statements of others",
        r#"
data "aws_iam_policy_document" "open" {
  statement {
    principals {
      type        = "*"
      identifiers = ["*"]
    }
  }
}
data "aws_iam_policy_document" "source" {
  source_policy_documents = [data.aws_iam_policy_document.open.json]
}
data "aws_iam_policy_document" "text" {
  override_policy_documents = [local.public]
}
data "aws_iam_policy_document" "unknown" {
  source_policy_documents = var.name
}
resource "aws_s3_bucket" "a" { policy = data.aws_iam_policy_document.source.json }
resource "aws_s3_bucket" "b" { policy = data.aws_iam_policy_document.text.json }
resource "aws_s3_bucket" "c" { policy = data.aws_iam_policy_document.unknown.json }
"#,
        &["aws_s3_bucket.a", "aws_s3_bucket.b"],
        &["aws_s3_bucket.c"],
    ),
    (
        "grants to everyone",
        r#"
resource "aws_s3_bucket" "a" {}
resource "aws_s3_bucket_acl" "a" {
  bucket = aws_s3_bucket.a.id
  access_control_policy {
    grant {
      permission = "READ"
      grantee {
        type = "Group"
        uri  = "http://acs.amazonaws.com/groups/global/AllUsers"
      }
    }
  }
}
resource "aws_s3_bucket" "b" {
  grant {
    type        = "Group"
    permissions = ["READ"]
    uri         = "http://acs.amazonaws.com/groups/global/AuthenticatedUsers"
  }
}
resource "aws_s3_bucket" "c" { acl = "authenticated-read" }
resource "aws_s3_bucket" "d" {
  grant {
    type = "Group"
    uri  = "http://acs.amazonaws.com/groups/s3/LogDelivery"
  }
}
resource "aws_s3_bucket" "e" {
  grant {
    type = "Group"
    uri  = var.name
  }
}
"#,
        &["aws_s3_bucket.a", "aws_s3_bucket.b", "aws_s3_bucket.c"],
        &["aws_s3_bucket.e"],
    ),
    (
        "a block that differs between its instances",
        r#"
resource "aws_s3_bucket" "a" {
  count = 2
  acl   = "public-read"
}
resource "aws_s3_bucket_public_access_block" "a" {
  count             = 2
  bucket            = aws_s3_bucket.a[count.index].id
  ignore_public_acls = count.index == 0
}
resource "aws_s3_bucket" "b" {
  for_each = { x = true, y = true }
  acl      = "public-read"
}
resource "aws_s3_bucket_public_access_block" "b" {
  for_each          = { x = true, y = true }
  bucket            = aws_s3_bucket.b[each.key].id
  ignore_public_acls = each.value
}
"#,
        &["aws_s3_bucket.a[1]"],
        &[],
    ),
    (
        "a block of an account that may not be there",
        r#"
resource "aws_s3_bucket" "a" { acl = "public-read" }
resource "aws_s3_account_public_access_block" "a" {
  count             = var.name
  ignore_public_acls = true
}
"#,
        &[],
        &["aws_s3_bucket.a"],
    ),
    (
        "options of a network that may be left out",
        r#"
resource "aws_opensearch_domain" "a" {
  dynamic "vpc_options" {
    for_each = var.name
    content { subnet_ids = ["subnet-1"] }
  }
}
resource "aws_opensearch_domain" "b" {
  dynamic "vpc_options" {
    for_each = []
    content { subnet_ids = ["subnet-1"] }
  }
}
"#,
        &["aws_opensearch_domain.b"],
        &["aws_opensearch_domain.a"],
    ),
    (
        "addresses of IPv6",
        r#"
resource "aws_security_group" "six" {
  ingress { ipv6_cidr_blocks = ["::/0"] }
}
resource "aws_subnet" "six" { assign_ipv6_address_on_creation = true }
resource "aws_subnet" "four" {}
resource "aws_instance" "count" {
  subnet_id              = aws_subnet.four.id
  ipv6_address_count     = 1
  vpc_security_group_ids = [aws_security_group.six.id]
}
resource "aws_instance" "addresses" {
  subnet_id              = aws_subnet.four.id
  ipv6_addresses         = ["2001:db8::1"]
  vpc_security_group_ids = [aws_security_group.six.id]
}
resource "aws_instance" "subnet" {
  subnet_id              = aws_subnet.six.id
  vpc_security_group_ids = [aws_security_group.six.id]
}
resource "aws_instance" "none" {
  subnet_id              = aws_subnet.four.id
  vpc_security_group_ids = [aws_security_group.six.id]
}
resource "aws_instance" "four" {
  subnet_id              = aws_subnet.six.id
  vpc_security_group_ids = [aws_security_group.open.id]
}
"#,
        &[
            "aws_instance.addresses",
            "aws_instance.count",
            "aws_instance.subnet",
        ],
        &[],
    ),
    (
        "entries of a prefix list",
        r#"
resource "aws_ec2_managed_prefix_list" "a" {}
resource "aws_ec2_managed_prefix_list_entry" "a" {
  prefix_list_id = aws_ec2_managed_prefix_list.a.id
  cidr           = "0.0.0.0/0"
}
resource "aws_security_group" "a" {
  ingress { prefix_list_ids = [aws_ec2_managed_prefix_list.a.id] }
}
resource "aws_instance" "a" {
  associate_public_ip_address = true
  vpc_security_group_ids      = [aws_security_group.a.id]
}
"#,
        &["aws_instance.a"],
        &[],
    ),
    (
        "an entry of any prefix list",
        r#"
resource "aws_ec2_managed_prefix_list_entry" "a" {
  prefix_list_id = var.name
  cidr           = "0.0.0.0/0"
}
"#,
        &[],
        &["aws_ec2_managed_prefix_list_entry.a"],
    ),
    (
        "a group that is attached to an interface",
        r#"
resource "aws_security_group" "closed" {}
resource "aws_instance" "a" {
  associate_public_ip_address = true
  vpc_security_group_ids      = [aws_security_group.closed.id]
}
resource "aws_network_interface_sg_attachment" "a" {
  security_group_id    = aws_security_group.open.id
  network_interface_id = aws_instance.a.primary_network_interface_id
}
"#,
        &["aws_instance.a"],
        &[],
    ),
];
