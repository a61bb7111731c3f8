# undecided public-bucket aws_s3_bucket.refuses
# clear public-bucket aws_s3_bucket.refuses_before
# clear public-bucket aws_s3_bucket.restricts
# undecided public-bucket aws_s3_bucket.refuses_acl
# clear public-bucket aws_s3_bucket.refuses_acl_before
# found public-bucket aws_s3_bucket.other_flag

locals {
  open = { Statement = [{ Effect = "Allow", Principal = "*", Action = "s3:GetObject", Resource = "*" }] }
}
resource "aws_s3_bucket" "refuses" { bucket = "acme-refuses" }
resource "aws_s3_bucket_public_access_block" "refuses" {
  bucket              = aws_s3_bucket.refuses.id
  block_public_acls   = true
  block_public_policy = true
}
resource "aws_s3_bucket_policy" "refuses" {
  bucket = aws_s3_bucket.refuses.id
  policy = jsonencode(local.open)
}
resource "aws_s3_bucket" "refuses_before" { bucket = "acme-refuses-before" }
resource "aws_s3_bucket_public_access_block" "refuses_before" {
  bucket              = aws_s3_bucket.refuses_before.id
  block_public_policy = true
}
resource "aws_s3_bucket_policy" "refuses_before" {
  bucket     = aws_s3_bucket.refuses_before.id
  policy     = jsonencode(local.open)
  depends_on = [aws_s3_bucket_public_access_block.refuses_before]
}
resource "aws_s3_bucket" "restricts" { bucket = "acme-restricts" }
resource "aws_s3_bucket_public_access_block" "restricts" {
  bucket                  = aws_s3_bucket.restricts.id
  restrict_public_buckets = true
}
resource "aws_s3_bucket_policy" "restricts" {
  bucket = aws_s3_bucket.restricts.id
  policy = jsonencode(local.open)
}
resource "aws_s3_bucket" "refuses_acl" { bucket = "acme-refuses-acl" }
resource "aws_s3_bucket_public_access_block" "refuses_acl" {
  bucket            = aws_s3_bucket.refuses_acl.id
  block_public_acls = true
}
resource "aws_s3_bucket_acl" "refuses_acl" {
  bucket = aws_s3_bucket.refuses_acl.id
  acl    = "public-read"
}
resource "aws_s3_bucket" "refuses_acl_before" { bucket = "acme-refuses-acl-before" }
resource "aws_s3_bucket_public_access_block" "refuses_acl_before" {
  bucket            = aws_s3_bucket.refuses_acl_before.id
  block_public_acls = true
}
resource "aws_s3_bucket_acl" "refuses_acl_before" {
  bucket = aws_s3_bucket_public_access_block.refuses_acl_before.bucket
  acl    = "public-read"
}
resource "aws_s3_bucket" "other_flag" { bucket = "acme-other-flag" }
resource "aws_s3_bucket_public_access_block" "other_flag" {
  bucket            = aws_s3_bucket.other_flag.id
  block_public_acls = true
}
resource "aws_s3_bucket_policy" "other_flag" {
  bucket     = aws_s3_bucket.other_flag.id
  policy     = jsonencode(local.open)
  depends_on = [aws_s3_bucket_public_access_block.other_flag]
}
