# found internet-exposed azurerm_kubernetes_cluster.default
# clear internet-exposed azurerm_kubernetes_cluster.private
# clear internet-exposed azurerm_kubernetes_cluster.ranges
# clear internet-exposed azurerm_kubernetes_cluster.old_ranges

resource "azurerm_kubernetes_cluster" "default" {
  name       = "default"
  dns_prefix = "default"
}
resource "azurerm_kubernetes_cluster" "private" {
  name                    = "private"
  private_cluster_enabled = true
}
resource "azurerm_kubernetes_cluster" "ranges" {
  name       = "ranges"
  dns_prefix = "ranges"
  api_server_access_profile { authorized_ip_ranges = ["198.51.100.7/32"] }
}
resource "azurerm_kubernetes_cluster" "old_ranges" {
  name                            = "old"
  dns_prefix                      = "old"
  api_server_authorized_ip_ranges = ["198.51.100.7/32"]
}
