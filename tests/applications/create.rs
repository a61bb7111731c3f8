//! Creating applications.

use serde_json::json;

use crate::support::Api;

const CREATE: &str = "mutation($input: CreateApplicationInput!) {
  createApplication(input: $input) {
    application { id status dateApplied version }
    userErrors { code field message currentVersion }
  }
}";

#[tokio::test]
async fn a_new_application_is_unsubmitted_and_costs_one_transaction() {
    let api = Api::start().await;
    let input = json!({ "companyName": "Visa", "positionTitle": "Engineer" });
    let answer = api.run(CREATE, json!({ "input": input })).await;
    let application = answer.data()["createApplication"]["application"].clone();
    assert_eq!(application["status"], "UNSUBMITTED");
    assert_eq!(application["dateApplied"], json!(null));
    assert_eq!(application["version"], 1);
    assert_eq!((answer.cost().reads, answer.cost().writes), (0, 1));
    assert_eq!(
        api.calls.counts(),
        [("TransactWriteItems".to_owned(), 1)].into()
    );
}
