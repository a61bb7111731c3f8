# found iam-wildcard-action aws_iam_policy.replaced
# found iam-admin aws_iam_policy.joined
# found iam-wildcard-action aws_iam_user_policy.formatted
# clear iam-admin aws_iam_policy.replaced
# found iam-wildcard-resource aws_iam_policy.replaced

resource "random_pet" "name" {}
resource "aws_iam_policy" "replaced" {
  policy = replace(file("${path.module}/s3.json"), "BUCKET", random_pet.name.id)
}
resource "aws_iam_policy" "joined" {
  policy = join("", [
    "{ \"Version\": \"2012-10-17\", \"Statement\": [",
    "{ \"Effect\": \"Allow\", \"Action\": \"*\", \"Resource\": \"*\" }",
    "] }",
  ])
}
resource "aws_iam_user_policy" "formatted" {
  user   = "ops"
  policy = format("{\"Statement\":[{\"Effect\":\"Allow\",\"Action\":[\"ec2:*\"],\"Resource\":\"arn:aws:ec2:%s:123456789012:*\"}]}", var.region)
}
variable "region" { type = string }
