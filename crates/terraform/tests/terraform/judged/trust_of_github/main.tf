# found iam-open-trust aws_iam_role.any
# found iam-open-trust aws_iam_role.all_repos
# clear iam-open-trust aws_iam_role.one_repo
# clear iam-open-trust aws_iam_role.main_branch
# found iam-open-trust aws_iam_role.every_owner

resource "aws_iam_openid_connect_provider" "github" {
  url            = "https://token.actions.githubusercontent.com"
  client_id_list = ["sts.amazonaws.com"]
}
variable "org" { default = "acme" }
locals { provider = "token.actions.githubusercontent.com" }
data "aws_iam_policy_document" "any" {
  statement {
    actions = ["sts:AssumeRoleWithWebIdentity"]
    principals {
      type        = "Federated"
      identifiers = [aws_iam_openid_connect_provider.github.arn]
    }
    condition {
      test     = "StringEquals"
      variable = "${local.provider}:aud"
      values   = ["sts.amazonaws.com"]
    }
  }
}
resource "aws_iam_role" "any" { assume_role_policy = data.aws_iam_policy_document.any.json }
resource "aws_iam_role" "all_repos" {
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = "sts:AssumeRoleWithWebIdentity"
      Principal = { Federated = "arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com" }
      Condition = { StringLike = { "token.actions.githubusercontent.com:sub" = "repo:*" } }
    }]
  })
}
resource "aws_iam_role" "one_repo" {
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = "sts:AssumeRoleWithWebIdentity"
      Principal = { Federated = aws_iam_openid_connect_provider.github.arn }
      Condition = {
        StringEquals = { "${local.provider}:aud" = "sts.amazonaws.com" }
        StringLike   = { "${local.provider}:sub" = "repo:${var.org}/shop:*" }
      }
    }]
  })
}
data "aws_iam_policy_document" "main_branch" {
  statement {
    actions = ["sts:AssumeRoleWithWebIdentity"]
    principals {
      type        = "Federated"
      identifiers = [aws_iam_openid_connect_provider.github.arn]
    }
    condition {
      test     = "ForAnyValue:StringEquals"
      variable = "token.actions.githubusercontent.com:sub"
      values   = [for repo in ["shop", "infra"] : "repo:${var.org}/${repo}:ref:refs/heads/main"]
    }
  }
}
resource "aws_iam_role" "main_branch" { assume_role_policy = data.aws_iam_policy_document.main_branch.json }
resource "aws_iam_role" "every_owner" {
  assume_role_policy = <<EOF
{
  "Version": "2012-10-17",
  "Statement": [{
    "Effect": "Allow",
    "Action": "sts:AssumeRoleWithWebIdentity",
    "Principal": { "Federated": "${aws_iam_openid_connect_provider.github.arn}" },
    "Condition": { "StringLike": { "token.actions.githubusercontent.com:sub": ["repo:acme/shop:*", "repo:*/*:ref:refs/heads/main"] } }
  }]
}
EOF
}
