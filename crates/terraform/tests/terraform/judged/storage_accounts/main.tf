# clear public-bucket azurerm_storage_account.closed
# found public-bucket azurerm_storage_account.open
# found public-bucket azurerm_storage_container.assets
# clear public-bucket azurerm_storage_container.private
# clear public-bucket azurerm_storage_container.blocked
# clear public-bucket azurerm_storage_account.firewalled
# undecided public-bucket azurerm_storage_account.default
# clear unencrypted-datastore azurerm_storage_account.default

resource "azurerm_storage_account" "closed" {
  name                            = "acmeclosed"
  account_tier                    = "Standard"
  account_replication_type        = "LRS"
  allow_nested_items_to_be_public = false
}
resource "azurerm_storage_account" "open" {
  name                            = "acmeopen"
  account_tier                    = "Standard"
  account_replication_type        = "LRS"
  allow_nested_items_to_be_public = true
}
resource "azurerm_storage_account" "default" {
  name                     = "acmedefault"
  account_tier             = "Standard"
  account_replication_type = "LRS"
}
resource "azurerm_storage_account" "firewalled" {
  name                            = "acmefw"
  account_tier                    = "Standard"
  account_replication_type        = "LRS"
  allow_nested_items_to_be_public = true
  network_rules {
    default_action = "Deny"
    ip_rules       = ["198.51.100.7"]
    bypass         = ["AzureServices"]
  }
}
resource "azurerm_storage_container" "assets" {
  name                  = "assets"
  storage_account_name  = azurerm_storage_account.open.name
  container_access_type = "blob"
}
resource "azurerm_storage_container" "private" {
  name                  = "private"
  storage_account_name  = azurerm_storage_account.open.name
  container_access_type = "private"
}
resource "azurerm_storage_container" "blocked" {
  name                  = "blocked"
  storage_account_id    = azurerm_storage_account.closed.id
  container_access_type = "container"
}
