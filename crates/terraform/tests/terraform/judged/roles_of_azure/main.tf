# found iam-admin azurerm_role_definition.authorization
# found iam-admin azurerm_role_definition.assignments
# found iam-admin azurerm_role_definition.writes
# clear iam-admin azurerm_role_definition.writes_but_roles
# clear iam-admin azurerm_role_definition.service
# found iam-wildcard-action azurerm_role_definition.service
# found iam-wildcard-action azurerm_role_definition.data
# clear iam-admin azurerm_role_definition.reader
# clear iam-wildcard-action azurerm_role_definition.reader
# undecided iam-admin azurerm_role_definition.given
# found iam-admin azurerm_role_assignment.contributor
# found iam-admin azurerm_role_assignment.contributor_by_id
# clear iam-admin azurerm_role_assignment.contributor_of_group
# undecided iam-admin azurerm_role_assignment.contributor_somewhere
# found iam-admin azurerm_role_assignment.access
# clear iam-admin azurerm_role_assignment.reader
# found open-security-group azurerm_mssql_firewall_rule.azure
# clear open-security-group azurerm_mssql_firewall_rule.office
# found open-security-group azurerm_network_security_rule.cloud
# clear open-security-group azurerm_network_security_rule.balancer
# found public-policy azurerm_container_registry.anonymous
# clear public-policy azurerm_container_registry.private
# clear public-policy azurerm_container_registry.authenticated

variable "actions" { type = list(string) }
variable "scope" { type = string }
data "azurerm_subscription" "current" {}
resource "azurerm_resource_group" "shop" {
  name     = "shop"
  location = "westeurope"
}
resource "azurerm_role_definition" "authorization" {
  name  = "a"
  scope = data.azurerm_subscription.current.id
  permissions { actions = ["Microsoft.Authorization/*"] }
}
resource "azurerm_role_definition" "assignments" {
  name  = "b"
  scope = data.azurerm_subscription.current.id
  permissions { actions = ["Microsoft.Authorization/roleAssignments/write"] }
}
resource "azurerm_role_definition" "writes" {
  name  = "c"
  scope = data.azurerm_subscription.current.id
  permissions { actions = ["*/write", "*/delete"] }
}
resource "azurerm_role_definition" "writes_but_roles" {
  name  = "d"
  scope = data.azurerm_subscription.current.id
  permissions {
    actions     = ["*/write"]
    not_actions = ["Microsoft.Authorization/*"]
  }
}
resource "azurerm_role_definition" "service" {
  name  = "e"
  scope = data.azurerm_subscription.current.id
  permissions { actions = ["Microsoft.Storage/*"] }
}
resource "azurerm_role_definition" "data" {
  name  = "f"
  scope = data.azurerm_subscription.current.id
  permissions { data_actions = ["*"] }
}
resource "azurerm_role_definition" "reader" {
  name  = "g"
  scope = data.azurerm_subscription.current.id
  permissions { actions = ["*/read", "Microsoft.Storage/storageAccounts/listKeys/action"] }
}
resource "azurerm_role_definition" "given" {
  name  = "h"
  scope = data.azurerm_subscription.current.id
  permissions { actions = var.actions }
}
resource "azurerm_role_assignment" "contributor" {
  scope                = "/subscriptions/00000000-0000-0000-0000-000000000000"
  role_definition_name = "Contributor"
  principal_id         = "a"
}
resource "azurerm_role_assignment" "contributor_by_id" {
  scope              = data.azurerm_subscription.current.id
  role_definition_id = "/providers/Microsoft.Authorization/roleDefinitions/b24988ac-6180-42a0-ab88-20f7382dd24c"
  principal_id       = "a"
}
resource "azurerm_role_assignment" "contributor_of_group" {
  scope                = azurerm_resource_group.shop.id
  role_definition_name = "Contributor"
  principal_id         = "a"
}
resource "azurerm_role_assignment" "contributor_somewhere" {
  scope                = var.scope
  role_definition_name = "Contributor"
  principal_id         = "a"
}
resource "azurerm_role_assignment" "access" {
  scope                = azurerm_resource_group.shop.id
  role_definition_name = "User Access Administrator"
  principal_id         = "a"
}
resource "azurerm_role_assignment" "reader" {
  scope                = data.azurerm_subscription.current.id
  role_definition_name = "Reader"
  principal_id         = "a"
}
resource "azurerm_mssql_firewall_rule" "azure" {
  name             = "azure"
  server_id        = "a"
  start_ip_address = "0.0.0.0"
  end_ip_address   = "0.0.0.0"
}
resource "azurerm_mssql_firewall_rule" "office" {
  name             = "office"
  server_id        = "a"
  start_ip_address = "198.51.100.7"
  end_ip_address   = "198.51.100.7"
}
resource "azurerm_network_security_group" "a" { name = "a" }
resource "azurerm_network_security_rule" "cloud" {
  name                        = "cloud"
  network_security_group_name = azurerm_network_security_group.a.name
  priority                    = 100
  direction                   = "Inbound"
  access                      = "Allow"
  protocol                    = "Tcp"
  source_address_prefix       = "AzureCloud.WestEurope"
  source_port_range           = "*"
  destination_address_prefix  = "*"
  destination_port_range      = "5432"
}
resource "azurerm_network_security_rule" "balancer" {
  name                        = "balancer"
  network_security_group_name = azurerm_network_security_group.a.name
  priority                    = 110
  direction                   = "Inbound"
  access                      = "Allow"
  protocol                    = "Tcp"
  source_address_prefix       = "AzureLoadBalancer"
  source_port_range           = "*"
  destination_address_prefix  = "*"
  destination_port_range      = "5432"
}
resource "azurerm_container_registry" "anonymous" {
  name                   = "acmeanonymous"
  sku                    = "Standard"
  anonymous_pull_enabled = true
}
resource "azurerm_container_registry" "private" {
  name                          = "acmeprivate"
  sku                           = "Premium"
  anonymous_pull_enabled        = true
  public_network_access_enabled = false
}
resource "azurerm_container_registry" "authenticated" {
  name = "acmeauthenticated"
  sku  = "Standard"
}
