# found iam-wildcard-action aws_iam_role_policy.deploy
# found iam-pass-role aws_iam_role_policy.deploy
# found iam-wildcard-resource aws_iam_role_policy.deploy
# clear iam-wildcard-action aws_iam_role_policy.invoke
# clear iam-wildcard-resource aws_iam_role_policy.invoke

data "aws_region" "current" {}
data "aws_caller_identity" "current" {}
resource "aws_iam_role_policy" "deploy" {
  role = "deploy"
  policy = templatefile("${path.module}/templates/deploy.json.tftpl", {
    account = data.aws_caller_identity.current.account_id
    region  = data.aws_region.current.name
    bucket  = "acme-artifacts"
  })
}
resource "aws_iam_role_policy" "invoke" {
  role = "deploy"
  policy = templatefile("${path.module}/templates/invoke.json.tftpl", {
    functions = ["orders", "users"]
    account   = data.aws_caller_identity.current.account_id
  })
}
