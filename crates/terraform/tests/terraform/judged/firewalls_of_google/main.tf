# clear open-security-group google_compute_firewall.denied
# clear open-security-group google_compute_firewall.same_priority
# found open-security-group google_compute_firewall.before
# found open-security-group google_compute_firewall.other_network
# found open-security-group google_compute_firewall.other_port
# found open-security-group google_compute_firewall.six
# clear open-security-group google_compute_firewall.of_network
# undecided open-security-group google_compute_firewall.of_switched

variable "closed" { type = bool }
resource "google_compute_network" "shop" { name = "shop" }
resource "google_compute_network" "lab" { name = "lab" }
resource "google_compute_firewall" "deny" {
  name          = "deny"
  network       = "default"
  priority      = 500
  source_ranges = ["0.0.0.0/0"]
  deny { protocol = "all" }
}
resource "google_compute_firewall" "denied" {
  name          = "denied"
  network       = "default"
  source_ranges = ["0.0.0.0/0"]
  allow {
    protocol = "tcp"
    ports    = ["22"]
  }
}
resource "google_compute_firewall" "same_priority" {
  name          = "same-priority"
  network       = "default"
  priority      = 500
  source_ranges = ["0.0.0.0/0"]
  allow {
    protocol = "tcp"
    ports    = ["22"]
  }
}
resource "google_compute_firewall" "before" {
  name          = "before"
  network       = "default"
  priority      = 100
  source_ranges = ["0.0.0.0/0"]
  allow {
    protocol = "tcp"
    ports    = ["22"]
  }
}
resource "google_compute_firewall" "other_network" {
  name          = "other-network"
  network       = "other"
  source_ranges = ["0.0.0.0/0"]
  allow {
    protocol = "tcp"
    ports    = ["22"]
  }
}
resource "google_compute_firewall" "six" {
  name          = "six"
  network       = "default"
  source_ranges = ["::/0"]
  allow {
    protocol = "tcp"
    ports    = ["22"]
  }
}
resource "google_compute_firewall" "deny_port" {
  name          = "deny-port"
  network       = google_compute_network.shop.name
  priority      = 10
  source_ranges = ["0.0.0.0/0"]
  deny {
    protocol = "tcp"
    ports    = ["20-25"]
  }
}
resource "google_compute_firewall" "of_network" {
  name          = "of-network"
  network       = google_compute_network.shop.name
  source_ranges = ["0.0.0.0/0"]
  allow {
    protocol = "tcp"
    ports    = ["22"]
  }
}
resource "google_compute_firewall" "other_port" {
  name          = "other-port"
  network       = google_compute_network.shop.name
  source_ranges = ["0.0.0.0/0"]
  allow {
    protocol = "tcp"
    ports    = ["22", "3389"]
  }
}
resource "google_compute_firewall" "deny_switched" {
  count         = var.closed ? 1 : 0
  name          = "deny-switched"
  network       = google_compute_network.lab.name
  priority      = 10
  source_ranges = ["0.0.0.0/0"]
  deny { protocol = "all" }
}
resource "google_compute_firewall" "of_switched" {
  name          = "of-switched"
  network       = google_compute_network.lab.name
  source_ranges = ["0.0.0.0/0"]
  allow { protocol = "all" }
}
