# clear public-policy aws_kms_key.main
# clear public-queue aws_sns_topic.alarms
# clear public-queue aws_sqs_queue.events
# found public-queue aws_sqs_queue.open
# found public-queue aws_sns_topic.open
# clear public-policy aws_secretsmanager_secret_policy.db
# clear public-policy aws_ecr_repository_policy.app

data "aws_caller_identity" "me" {}
resource "aws_kms_key" "main" {
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      { Effect = "Allow", Principal = { AWS = "arn:aws:iam::${data.aws_caller_identity.me.account_id}:root" }, Action = "kms:*", Resource = "*" },
      {
        Effect    = "Allow"
        Principal = { AWS = "*" }
        Action    = ["kms:Decrypt", "kms:GenerateDataKey*"]
        Resource  = "*"
        Condition = { StringEquals = { "kms:CallerAccount" = data.aws_caller_identity.me.account_id, "kms:ViaService" = "s3.eu-central-1.amazonaws.com" } }
      },
    ]
  })
}
resource "aws_sns_topic" "alarms" { name = "alarms" }
resource "aws_sns_topic_policy" "alarms" {
  arn = aws_sns_topic.alarms.arn
  policy = jsonencode({
    Statement = [{
      Effect    = "Allow"
      Principal = { AWS = "*" }
      Action    = "SNS:Publish"
      Resource  = aws_sns_topic.alarms.arn
      Condition = { StringEquals = { "AWS:SourceOwner" = data.aws_caller_identity.me.account_id } }
    }]
  })
}
resource "aws_sqs_queue" "events" { name = "events" }
resource "aws_sqs_queue_policy" "events" {
  queue_url = aws_sqs_queue.events.id
  policy    = <<POLICY
{
  "Version": "2012-10-17",
  "Statement": [{
    "Effect": "Allow",
    "Principal": "*",
    "Action": "sqs:SendMessage",
    "Resource": "${aws_sqs_queue.events.arn}",
    "Condition": { "ArnEquals": { "aws:SourceArn": "${aws_sns_topic.alarms.arn}" } }
  }]
}
POLICY
}
resource "aws_sqs_queue" "open" { name = "open" }
resource "aws_sqs_queue_policy" "open" {
  queue_url = aws_sqs_queue.open.id
  policy = jsonencode({
    Statement = [{
      Effect    = "Allow"
      Principal = "*"
      Action    = "sqs:*"
      Resource  = "*"
      Condition = { ArnLike = { "aws:SourceArn" = "arn:aws:sns:*:*:*" } }
    }]
  })
}
resource "aws_sns_topic" "open" { name = "open" }
resource "aws_sns_topic_policy" "open" {
  arn    = aws_sns_topic.open.arn
  policy = data.aws_iam_policy_document.open.json
}
data "aws_iam_policy_document" "open" {
  statement {
    actions   = ["sns:Subscribe"]
    resources = [aws_sns_topic.open.arn]
    principals {
      type        = "AWS"
      identifiers = ["*"]
    }
  }
}
resource "aws_secretsmanager_secret_policy" "db" {
  secret_arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:db"
  policy = jsonencode({
    Statement = [{ Effect = "Allow", Principal = { AWS = "arn:aws:iam::123456789012:role/app" }, Action = "secretsmanager:GetSecretValue", Resource = "*" }]
  })
}
resource "aws_ecr_repository_policy" "app" {
  repository = "app"
  policy = jsonencode({
    Statement = [{
      Effect    = "Allow"
      Principal = "*"
      Action    = ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"]
      Condition = { StringEquals = { "aws:PrincipalOrgID" = ["o-abc123def4"] } }
    }]
  })
}
