import { graphql } from 'relay-runtime';

// The payload's application enters the store and the list.
export const create = graphql`
  mutation CreateApplicationMutation($input: CreateApplicationInput!, $connections: [ID!]!) {
    createApplication(input: $input) {
      application @prependNode(connections: $connections, edgeTypeName: "ApplicationEdge") {
        id
        ...ApplicationCard_application
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`;
