import { graphql } from 'relay-runtime';

// Fetched again on its own through the Node interface.
export const card = graphql`
  fragment ApplicationCard_application on Application
  @refetchable(queryName: "ApplicationCardRefetchQuery") {
    id
    companyName
    positionTitle
    status
  }
`;
