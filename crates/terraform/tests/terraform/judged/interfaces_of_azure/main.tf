# found internet-exposed azurerm_network_interface.open
# clear internet-exposed azurerm_network_interface.closed
# clear internet-exposed azurerm_network_interface.in_closed_subnet
# undecided internet-exposed azurerm_network_interface.without_group
# clear internet-exposed azurerm_network_interface.without_address

resource "azurerm_public_ip" "a" { name = "a" }
resource "azurerm_subnet" "closed" { name = "closed" }
resource "azurerm_network_security_group" "open" {
  name = "open"
  security_rule {
    name                       = "ssh"
    priority                   = 100
    direction                  = "Inbound"
    access                     = "Allow"
    protocol                   = "Tcp"
    source_port_range          = "*"
    destination_port_range     = "22"
    source_address_prefix      = "*"
    destination_address_prefix = "*"
  }
}
resource "azurerm_network_security_group" "closed" {
  name = "closed"
  security_rule {
    name                       = "office"
    priority                   = 100
    direction                  = "Inbound"
    access                     = "Allow"
    protocol                   = "Tcp"
    source_port_range          = "*"
    destination_port_range     = "22"
    source_address_prefix      = "198.51.100.0/24"
    destination_address_prefix = "*"
  }
}
resource "azurerm_subnet_network_security_group_association" "closed" {
  subnet_id                 = azurerm_subnet.closed.id
  network_security_group_id = azurerm_network_security_group.closed.id
}
resource "azurerm_network_interface" "open" {
  name = "open"
  ip_configuration {
    name                 = "a"
    public_ip_address_id = azurerm_public_ip.a.id
  }
}
resource "azurerm_network_interface_security_group_association" "open" {
  network_interface_id      = azurerm_network_interface.open.id
  network_security_group_id = azurerm_network_security_group.open.id
}
resource "azurerm_network_interface" "closed" {
  name = "closed"
  ip_configuration {
    name                 = "a"
    public_ip_address_id = azurerm_public_ip.a.id
  }
}
resource "azurerm_network_interface_security_group_association" "closed" {
  network_interface_id      = azurerm_network_interface.closed.id
  network_security_group_id = azurerm_network_security_group.closed.id
}
resource "azurerm_network_interface" "in_closed_subnet" {
  name = "in-closed-subnet"
  ip_configuration {
    name                 = "a"
    subnet_id            = azurerm_subnet.closed.id
    public_ip_address_id = azurerm_public_ip.a.id
  }
}
resource "azurerm_network_interface_security_group_association" "in_closed_subnet" {
  network_interface_id      = azurerm_network_interface.in_closed_subnet.id
  network_security_group_id = azurerm_network_security_group.open.id
}
resource "azurerm_network_interface" "without_group" {
  name = "without-group"
  ip_configuration {
    name                 = "a"
    public_ip_address_id = azurerm_public_ip.a.id
  }
}
resource "azurerm_network_interface" "without_address" {
  name = "without-address"
  ip_configuration { name = "a" }
}
