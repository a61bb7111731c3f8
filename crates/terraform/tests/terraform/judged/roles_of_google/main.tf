# found iam-admin google_project_iam_member.project_admin
# found iam-admin google_project_iam_member.security_admin
# clear iam-admin google_project_iam_member.storage_admin
# found iam-admin google_project_iam_custom_role.projects
# found iam-admin google_project_iam_custom_role.buckets
# clear iam-admin google_project_iam_custom_role.reader
# undecided iam-admin google_project_iam_custom_role.given

variable "permissions" { type = list(string) }
resource "google_project_iam_member" "project_admin" {
  project = "shop"
  role    = "roles/resourcemanager.projectIamAdmin"
  member  = "user:a@example.com"
}
resource "google_project_iam_member" "security_admin" {
  project = "shop"
  role    = "roles/iam.securityAdmin"
  member  = "user:a@example.com"
}
resource "google_project_iam_member" "storage_admin" {
  project = "shop"
  role    = "roles/storage.admin"
  member  = "user:a@example.com"
}
resource "google_project_iam_custom_role" "projects" {
  role_id     = "projects"
  title       = "projects"
  permissions = ["resourcemanager.projects.get", "resourcemanager.projects.setIamPolicy"]
}
resource "google_project_iam_custom_role" "buckets" {
  role_id     = "buckets"
  title       = "buckets"
  permissions = ["storage.buckets.setIamPolicy"]
}
resource "google_project_iam_custom_role" "reader" {
  role_id     = "reader"
  title       = "reader"
  permissions = ["storage.buckets.get", "storage.buckets.getIamPolicy"]
}
resource "google_project_iam_custom_role" "given" {
  role_id     = "given"
  title       = "given"
  permissions = var.permissions
}
