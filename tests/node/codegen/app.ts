// A small front end: it compiles only if the generated types say what the API promises.
import type { ResultOf } from '@graphql-typed-document-node/core';
import { graphql } from './gql/index.js';
import { ApplicationStatus, type CreateApplicationInput } from './gql/graphql.js';

export const Row = graphql(`
  fragment Row on Application {
    id
    companyName
    status
  }
`);

export const List = graphql(`
  query List($first: Int, $after: String) {
    applications(first: $first, after: $after) {
      edges {
        node {
          ...Row
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const Create = graphql(`
  mutation Create($input: CreateApplicationInput!) {
    createApplication(input: $input) {
      application {
        ...Row
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

/** One line for each listed application that could be read. */
export function lines(data: ResultOf<typeof List>): string[] {
  return (data.applications?.edges ?? []).flatMap(({ node: row }) => {
    return row ? [`${row.companyName}: ${row.status.toLowerCase()}`] : [];
  });
}

/** The created application's id, or what is to mend. */
export function outcome(data: ResultOf<typeof Create>): string {
  const created = data.createApplication?.application;
  const toMend = data.createApplication?.userErrors ?? [];
  return created?.id ?? toMend.map((error) => `${error.code}: ${error.message}`).join('\n');
}

export const example: CreateApplicationInput = {
  companyName: 'Example',
  positionTitle: 'Engineer',
  status: ApplicationStatus.Applied,
};
