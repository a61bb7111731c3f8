# clear iam-open-trust aws_iam_role.lambda
# clear iam-open-trust aws_iam_role.org
# found iam-open-trust aws_iam_role.mfa
# found iam-open-trust aws_iam_role.anyone
# clear iam-open-trust aws_iam_role.vendor
# found iam-open-trust aws_iam_role.any_org

resource "aws_iam_role" "lambda" {
  assume_role_policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Action = "sts:AssumeRole", Principal = { Service = ["lambda.amazonaws.com", "edgelambda.amazonaws.com"] } }]
  })
}
resource "aws_iam_role" "org" {
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = "sts:AssumeRole"
      Principal = { AWS = "*" }
      Condition = { StringEquals = { "aws:PrincipalOrgID" = data.aws_organizations_organization.current.id } }
    }]
  })
}
data "aws_organizations_organization" "current" {}
resource "aws_iam_role" "mfa" {
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = "sts:AssumeRole"
      Principal = { AWS = "*" }
      Condition = { Bool = { "aws:MultiFactorAuthPresent" = "true" } }
    }]
  })
}
resource "aws_iam_role" "anyone" {
  assume_role_policy = <<-EOF
    { "Version": "2012-10-17", "Statement": [{ "Effect": "Allow", "Action": "sts:AssumeRole", "Principal": { "AWS": ["arn:aws:iam::123456789012:root", "*"] } }] }
  EOF
}
resource "aws_iam_role" "vendor" {
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = "sts:AssumeRole"
      Principal = { AWS = "arn:aws:iam::464622532012:root" }
      Condition = { StringEquals = { "sts:ExternalId" = "8f1c" } }
    }]
  })
}
resource "aws_iam_role" "any_org" {
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = "sts:AssumeRole"
      Principal = "*"
      Condition = { StringLike = { "aws:PrincipalOrgID" = "*" } }
    }]
  })
}
