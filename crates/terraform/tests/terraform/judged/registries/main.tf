# clear internet-exposed azurerm_container_registry.denied
# found internet-exposed azurerm_container_registry.basic
# clear internet-exposed azurerm_container_registry.private
# clear internet-exposed azurerm_container_registry.dynamic

variable "allowed" { default = ["198.51.100.0/24"] }
resource "azurerm_container_registry" "denied" {
  name = "acmedenied"
  sku  = "Premium"
  network_rule_set {
    default_action = "Deny"
    ip_rule {
      action   = "Allow"
      ip_range = "198.51.100.0/24"
    }
  }
}
resource "azurerm_container_registry" "dynamic" {
  name = "acmedynamic"
  sku  = "Premium"
  network_rule_set = [{
    default_action  = "Deny"
    ip_rule         = [for range in var.allowed : { action = "Allow", ip_range = range }]
    virtual_network = []
  }]
}
resource "azurerm_container_registry" "basic" {
  name = "acmebasic"
  sku  = "Basic"
}
resource "azurerm_container_registry" "private" {
  name                          = "acmeprivate"
  sku                           = "Premium"
  public_network_access_enabled = false
}
