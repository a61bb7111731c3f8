# found open-security-group aws_security_group.this["public"]
# clear open-security-group aws_security_group.this["private"]

variable "groups" {
  type = map(object({
    description = optional(string, "managed by terraform")
    rules = list(object({
      port  = number
      cidrs = list(string)
      proto = optional(string, "tcp")
    }))
  }))
  default = {
    public = {
      rules = [
        { port = 443, cidrs = ["0.0.0.0/0"] },
        { port = 22, cidrs = ["10.0.0.0/8"] },
      ]
    }
    private = {
      rules = [{ port = 5432, cidrs = ["10.0.1.0/24", "10.0.2.0/24"] }]
    }
  }
}
locals {
  rules = flatten([
    for name, group in var.groups : [
      for rule in group.rules : [
        for cidr in rule.cidrs : {
          key   = "${name}-${rule.port}-${cidr}"
          group = name
          port  = rule.port
          proto = rule.proto
          cidr  = cidr
        }
      ]
    ]
  ])
}
resource "aws_security_group" "this" {
  for_each    = var.groups
  name        = each.key
  description = each.value.description
}
resource "aws_vpc_security_group_ingress_rule" "this" {
  for_each          = { for rule in local.rules : rule.key => rule }
  security_group_id = aws_security_group.this[each.value.group].id
  cidr_ipv4         = each.value.cidr
  from_port         = each.value.port
  to_port           = each.value.port
  ip_protocol       = each.value.proto
}
