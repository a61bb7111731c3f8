import { graphql } from 'relay-runtime';

// A connection of the root, paged in both directions.
export const list = graphql`
  fragment ApplicationList_query on Query
  @argumentDefinitions(
    first: { type: "Int" }
    after: { type: "String" }
    last: { type: "Int" }
    before: { type: "String" }
  )
  @refetchable(queryName: "ApplicationListPaginationQuery") {
    applications(first: $first, after: $after, last: $last, before: $before)
      @connection(key: "ApplicationList_applications") {
      edges {
        node {
          id
          ...ApplicationCard_application
          ...ApplicationHistory_application @arguments(count: 3)
        }
      }
    }
  }
`;

export const page = graphql`
  query ApplicationListPageQuery {
    ...ApplicationList_query @arguments(first: 20)
  }
`;
