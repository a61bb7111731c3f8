# found public-bucket aws_s3_bucket.site
# clear public-bucket aws_s3_bucket.endpoint
# clear public-bucket aws_s3_bucket.org
# found public-bucket aws_s3_bucket.tls
# found public-bucket aws_s3_bucket.anywhere
# clear public-bucket aws_s3_bucket.office

variable "org_id" { default = "o-a1b2c3d4e5" }
resource "aws_vpc_endpoint" "s3" {
  vpc_id       = "vpc-1"
  service_name = "com.amazonaws.eu-central-1.s3"
}
resource "aws_s3_bucket" "site" { bucket = "acme-site" }
resource "aws_s3_bucket" "endpoint" { bucket = "acme-endpoint" }
resource "aws_s3_bucket" "org" { bucket = "acme-org" }
resource "aws_s3_bucket" "tls" { bucket = "acme-tls" }
resource "aws_s3_bucket" "anywhere" { bucket = "acme-anywhere" }
resource "aws_s3_bucket" "office" { bucket = "acme-office" }
data "aws_iam_policy_document" "site" {
  statement {
    sid       = "PublicRead"
    actions   = ["s3:GetObject"]
    resources = ["${aws_s3_bucket.site.arn}/*"]
    principals {
      type        = "*"
      identifiers = ["*"]
    }
  }
}
data "aws_iam_policy_document" "endpoint" {
  statement {
    actions   = ["s3:GetObject"]
    resources = ["${aws_s3_bucket.endpoint.arn}/*"]
    principals {
      type        = "AWS"
      identifiers = ["*"]
    }
    condition {
      test     = "StringEquals"
      variable = "aws:SourceVpce"
      values   = [aws_vpc_endpoint.s3.id]
    }
  }
}
data "aws_iam_policy_document" "org" {
  statement {
    actions   = ["s3:GetObject", "s3:ListBucket"]
    resources = [aws_s3_bucket.org.arn, "${aws_s3_bucket.org.arn}/*"]
    principals {
      type        = "*"
      identifiers = ["*"]
    }
    condition {
      test     = "StringEquals"
      variable = "aws:PrincipalOrgID"
      values   = [var.org_id]
    }
  }
}
data "aws_iam_policy_document" "tls" {
  statement {
    actions   = ["s3:GetObject"]
    resources = ["${aws_s3_bucket.tls.arn}/*"]
    principals {
      type        = "*"
      identifiers = ["*"]
    }
    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["true"]
    }
  }
}
data "aws_iam_policy_document" "anywhere" {
  statement {
    actions   = ["s3:GetObject"]
    resources = ["${aws_s3_bucket.anywhere.arn}/*"]
    principals {
      type        = "*"
      identifiers = ["*"]
    }
    condition {
      test     = "IpAddress"
      variable = "aws:SourceIp"
      values   = ["0.0.0.0/0"]
    }
  }
}
data "aws_iam_policy_document" "office" {
  statement {
    actions   = ["s3:GetObject"]
    resources = ["${aws_s3_bucket.office.arn}/*"]
    principals {
      type        = "*"
      identifiers = ["*"]
    }
    condition {
      test     = "IpAddress"
      variable = "aws:SourceIp"
      values   = ["198.51.100.0/24", "203.0.113.7/32"]
    }
  }
}
resource "aws_s3_bucket_policy" "site" {
  bucket = aws_s3_bucket.site.id
  policy = data.aws_iam_policy_document.site.json
}
resource "aws_s3_bucket_policy" "endpoint" {
  bucket = aws_s3_bucket.endpoint.id
  policy = data.aws_iam_policy_document.endpoint.json
}
resource "aws_s3_bucket_policy" "org" {
  bucket = aws_s3_bucket.org.id
  policy = data.aws_iam_policy_document.org.json
}
resource "aws_s3_bucket_policy" "tls" {
  bucket = aws_s3_bucket.tls.id
  policy = data.aws_iam_policy_document.tls.json
}
resource "aws_s3_bucket_policy" "anywhere" {
  bucket = aws_s3_bucket.anywhere.id
  policy = data.aws_iam_policy_document.anywhere.json
}
resource "aws_s3_bucket_policy" "office" {
  bucket = aws_s3_bucket.office.id
  policy = data.aws_iam_policy_document.office.json
}
