// Applications as a CSV file, whose columns the import knows again.

import type { ApolloClient } from '@apollo/client';
import { csv, download } from 'trestle-web-kit/ui/csv';
import { today } from 'trestle-web-kit/ui/dates';

import { graphql } from '../gql';
import type { ApplicationFilter, ApplicationSort, ExportQuery } from '../gql/graphql';
import { CATEGORY_WORDS, FIELD_WORDS, SOURCE_WORDS, STATUS_WORDS } from '../ui/words';

/** As many as the API lists at once. */
const PAGE = 100;

const Export = graphql(`
  query Export($filter: ApplicationFilter!, $sortBy: ApplicationSort!, $after: String) {
    applications(filter: $filter, sortBy: $sortBy, first: 100, after: $after) {
      edges {
        node {
          id
          companyName
          positionTitle
          status
          dateApplied
          offerDueDate
          jobPostingUrl
          companyUrl
          companyCareerUrl
          companyCategory
          jobSource
          skillsMatch
          coverLetterRequired
          salaryMin
          salaryMax
          salaryCurrency
          salaryPeriod
          location
          isRemote
          tags
          specialRequirements
          nextAction
          nextActionDate
          notes
          postingText
          closingDate
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

const ExportSome = graphql(`
  query ExportSome($ids: [ID!]!) {
    nodes(ids: $ids) {
      ... on Application {
        id
        companyName
        positionTitle
        status
        dateApplied
        offerDueDate
        jobPostingUrl
        companyUrl
        companyCareerUrl
        companyCategory
        jobSource
        skillsMatch
        coverLetterRequired
        salaryMin
        salaryMax
        salaryCurrency
        salaryPeriod
        location
        isRemote
        tags
        specialRequirements
        nextAction
        nextActionDate
        notes
        postingText
        closingDate
      }
    }
  }
`);

export type Exportable = NonNullable<NonNullable<ExportQuery['applications']>['edges'][number]['node']>;

/** Saves some applications, or all of a list. */
export async function save(
  client: ApolloClient,
  what: readonly string[] | { readonly filter: ApplicationFilter; readonly sortBy: ApplicationSort },
): Promise<void> {
  const rows = 'sortBy' in what ? await list(client, what) : await some(client, what);
  const fields = Object.keys(FIELD_WORDS) as (keyof typeof FIELD_WORDS)[];
  // With their ids the import knows them again, here and by `trestle import`.
  const cells = rows.map((row) => [row.id, ...fields.map((field) => cell(row, field))]);
  download(`applications-${today()}.csv`, 'text/csv', csv([['id', ...fields.map((field) => FIELD_WORDS[field])], ...cells]));
}

/** All applications of a list. */
export async function list(
  client: ApolloClient,
  variables: { readonly filter: ApplicationFilter; readonly sortBy: ApplicationSort },
): Promise<Exportable[]> {
  const rows: Exportable[] = [];
  let after: string | null = null;
  do {
    const answer: { data?: ExportQuery | undefined } = await client.query({
      query: Export,
      variables: { ...variables, after },
      fetchPolicy: 'no-cache',
    });
    rows.push(...(answer.data?.applications?.edges ?? []).flatMap(({ node }) => node ?? []));
    const page = answer.data?.applications?.pageInfo;
    after = page?.hasNextPage ? page.endCursor : null;
  } while (after);
  return rows;
}

async function some(client: ApolloClient, ids: readonly string[]): Promise<Exportable[]> {
  const rows: Exportable[] = [];
  for (let at = 0; at < ids.length; at += PAGE) {
    const { data } = await client.query({
      query: ExportSome,
      variables: { ids: ids.slice(at, at + PAGE) },
      fetchPolicy: 'no-cache',
    });
    rows.push(...(data?.nodes ?? []).flatMap((node) => (node?.__typename === 'Application' ? node : [])));
  }
  return rows;
}

function cell(row: Exportable, field: keyof typeof FIELD_WORDS): string | number | null {
  if (field === 'status') return STATUS_WORDS[row.status];
  if (field === 'companyCategory') return row.companyCategory && CATEGORY_WORDS[row.companyCategory];
  if (field === 'jobSource') return row.jobSource && SOURCE_WORDS[row.jobSource];
  if (field === 'coverLetterRequired' || field === 'isRemote') return row[field] === null ? null : row[field] ? 'yes' : 'no';
  if (field === 'tags') return row.tags?.join('; ') ?? null;
  if (field === 'salaryPeriod') return row.salaryPeriod?.toLowerCase() ?? null;
  return row[field];
}
