# found open-security-group aws_security_group.listed
# found open-security-group aws_security_group.replaced
# clear open-security-group aws_security_group.host
# clear open-security-group aws_security_group.decoded
# found open-security-group aws_security_group.table
# found open-security-group aws_security_group.matched
# found open-security-group aws_security_group.transposed
# clear open-security-group aws_security_group.unmarked
# found public-bucket aws_s3_bucket.fallback
# found public-bucket aws_s3_bucket.encoded
# found iam-admin aws_iam_policy.encoded
# undecided iam-admin aws_iam_policy.given

variable "acl" { default = null }
variable "extra" { type = list(string) }
resource "aws_security_group" "replaced" {
  ingress {
    from_port   = 22
    to_port     = 22
    protocol    = "tcp"
    cidr_blocks = replace("a/b", "/", "-") == "a-b" ? ["0.0.0.0/0"] : ["10.0.0.0/8"]
  }
}
resource "aws_security_group" "host" {
  ingress {
    from_port   = 22
    to_port     = 22
    protocol    = "tcp"
    cidr_blocks = cidrhost("10.1.0.0/16", -1) == "10.1.255.255" ? ["10.0.0.0/8"] : ["0.0.0.0/0"]
  }
}
resource "aws_security_group" "decoded" {
  ingress {
    from_port   = 22
    to_port     = 22
    protocol    = "tcp"
    cidr_blocks = [base64decode("MTAuMC4wLjAvOA==")]
  }
}
resource "aws_security_group" "table" {
  dynamic "ingress" {
    for_each = csvdecode("port,range\n22,\"0.0.0.0/0\"\n443,10.0.0.0/8\n")
    content {
      from_port   = ingress.value.port
      to_port     = ingress.value.port
      protocol    = "tcp"
      cidr_blocks = [ingress.value.range]
    }
  }
}
resource "aws_security_group" "matched" {
  ingress {
    from_port   = 22
    to_port     = 22
    protocol    = "tcp"
    cidr_blocks = matchkeys(["0.0.0.0/0", "10.0.0.0/8"], ["all", "own"], ["all"])
  }
}
resource "aws_security_group" "transposed" {
  ingress {
    from_port   = 22
    to_port     = 22
    protocol    = "tcp"
    cidr_blocks = keys(transpose({ ssh = ["0.0.0.0/0"] }))
  }
}
resource "aws_security_group" "unmarked" {
  ingress {
    from_port   = 22
    to_port     = 22
    protocol    = "tcp"
    cidr_blocks = [nonsensitive(sensitive("10.0.0.0/8"))]
  }
}
resource "aws_s3_bucket" "fallback" { bucket = basename("buckets/acme-fallback") }
resource "aws_s3_bucket_acl" "fallback" {
  bucket = aws_s3_bucket.fallback.id
  acl    = try(coalesce(var.acl), "public-read")
}
locals {
  everyone = jsonencode("*")
}
resource "aws_s3_bucket" "encoded" { bucket = "acme-encoded" }
resource "aws_s3_bucket_policy" "encoded" {
  bucket = aws_s3_bucket.encoded.id
  policy = "{\"Statement\":[{\"Effect\":\"Allow\",\"Principal\":${local.everyone},\"Action\":\"s3:GetObject\",\"Resource\":\"${aws_s3_bucket.encoded.arn}/*\"}]}"
}
resource "aws_iam_policy" "encoded" {
  policy = <<-EOT
  {"Statement":[{"Effect":"Allow","Action":"*","Resource":${jsonencode(["*", aws_s3_bucket.encoded.arn])}}]}
  EOT
}
resource "aws_iam_policy" "given" {
  policy = <<-EOT
  {"Statement":[{"Effect":"Allow","Action":"*","Resource":${var.extra}}]}
  EOT
}
resource "aws_security_group" "listed" {
  dynamic "ingress" {
    for_each = yamldecode(file("${path.module}/rules.yaml")).rules
    content {
      from_port   = ingress.value.port
      to_port     = ingress.value.port
      protocol    = "tcp"
      cidr_blocks = ingress.value.ranges
    }
  }
}
