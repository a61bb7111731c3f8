import { graphql } from 'relay-runtime';

// A connection below a Node: its next page is fetched through `node(id:)`.
export const history = graphql`
  fragment ApplicationHistory_application on Application
  @argumentDefinitions(count: { type: "Int", defaultValue: 10 }, cursor: { type: "String" })
  @refetchable(queryName: "ApplicationHistoryPaginationQuery") {
    history(first: $count, after: $cursor) @connection(key: "ApplicationHistory_history") {
      edges {
        node {
          sequence
          description
        }
      }
    }
  }
`;
