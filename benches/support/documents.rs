//! The documents that are measured: what a board, a list and a detail page ask for.

/// The first page of what is not archived.
pub const LIST: &str = "query List($first: Int, $after: String) {
  applications(first: $first, after: $after) {
    edges { cursor node { id companyName positionTitle status dateApplied updatedAt version } }
    pageInfo { hasNextPage endCursor } } }";

/// The same page, each application with its stages.
pub const LIST_WITH_STAGES: &str = "query List($first: Int, $after: String) {
  applications(first: $first, after: $after) {
    edges { cursor node { id companyName positionTitle status dateApplied updatedAt version
      interviewStages { id name order isCompleted } } }
    pageInfo { hasNextPage endCursor } } }";

/// The first page of one status.
pub const LIST_OF_STATUS: &str = "query List($first: Int) {
  applications(first: $first, filter: { statuses: [INTERVIEWING] }) {
    edges { cursor node { id companyName positionTitle status dateApplied updatedAt version } }
    pageInfo { hasNextPage endCursor } } }";

/// Only the cursor behind a page.
pub const WALK: &str = "query Walk($first: Int, $after: String) {
  applications(first: $first, after: $after) { pageInfo { hasNextPage endCursor } } }";

/// An application with its stages and its newest 20 history entries.
pub const DETAIL: &str = "query Detail($id: ID!) { application(id: $id) {
  id companyName positionTitle status dateApplied offerDueDate companyUrl jobPostingUrl companyCareerUrl
  companyCategory jobSource skillsMatch coverLetterRequired specialRequirements notes salaryMin salaryMax
  isArchived version createdAt updatedAt
  interviewStages { id stageId name order isCompleted completedDate notes performanceRating }
  history(first: 20) { edges { node { sequence description createdAt } }
    pageInfo { hasNextPage endCursor } } } }";

/// An application with its stages.
pub const DETAIL_WITH_STAGES: &str = "query Detail($id: ID!) { application(id: $id) {
  id companyName positionTitle status dateApplied notes version updatedAt
  interviewStages { id stageId name order isCompleted completedDate notes performanceRating } } }";

/// An application without stages and history.
pub const DETAIL_ALONE: &str = "query Detail($id: ID!) { application(id: $id) {
  id companyName positionTitle status dateApplied offerDueDate companyUrl jobPostingUrl companyCareerUrl
  companyCategory jobSource skillsMatch coverLetterRequired specialRequirements notes salaryMin salaryMax
  isArchived version createdAt updatedAt } }";

/// A change of some fields.
pub const UPDATE: &str = "mutation Update($input: UpdateApplicationInput!) {
  updateApplication(input: $input) {
    application { id status notes version updatedAt } userErrors { code field message } } }";

/// A new application.
pub const CREATE: &str = "mutation Create($input: CreateApplicationInput!) {
  createApplication(input: $input) { application { id version } userErrors { code field message } } }";

/// A new stage.
pub const ADD_STAGE: &str = "mutation Add($input: AddInterviewStageInput!) {
  addInterviewStage(input: $input) { application { id version } userErrors { code field message } } }";
