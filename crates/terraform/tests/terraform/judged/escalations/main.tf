# found iam-admin aws_iam_policy.iam
# found iam-admin aws_iam_policy.attach
# found iam-admin aws_iam_policy.power
# found iam-admin aws_iam_policy.every_arn
# clear iam-admin aws_iam_policy.one_role
# clear iam-admin aws_iam_policy.reader
# undecided iam-admin aws_iam_policy.bounded

resource "aws_iam_policy" "iam" {
  policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "iam:*", Resource = "*" }] })
}
resource "aws_iam_policy" "attach" {
  policy = jsonencode({ Statement = [{ Effect = "Allow", Action = ["iam:PutRolePolicy", "iam:AttachRolePolicy"], Resource = "*" }] })
}
resource "aws_iam_policy" "power" {
  policy = jsonencode({ Statement = [{ Effect = "Allow", NotAction = ["iam:*", "organizations:*", "account:*"], Resource = "*" }] })
}
resource "aws_iam_policy" "every_arn" {
  policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "*", Resource = "arn:aws:*:*:*:*" }] })
}
resource "aws_iam_policy" "one_role" {
  policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "iam:PutRolePolicy", Resource = "arn:aws:iam::123456789012:role/app" }] })
}
resource "aws_iam_policy" "reader" {
  policy = jsonencode({ Statement = [{ Effect = "Allow", Action = ["iam:Get*", "iam:List*"], Resource = "*" }] })
}
resource "aws_iam_policy" "bounded" {
  policy = jsonencode({ Statement = [{
    Effect    = "Allow"
    Action    = ["iam:CreateRole", "iam:PutRolePolicy"]
    Resource  = "*"
    Condition = { StringEquals = { "iam:PermissionsBoundary" = "arn:aws:iam::123456789012:policy/boundary" } }
  }] })
}
