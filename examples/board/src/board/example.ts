// Applications to look around with, of companies that nobody works for.

import type { ApolloClient } from '@apollo/client';
import { daysAfter, today } from 'trestle-web-kit/ui/dates';

import { settle } from '../api/lists';
import { graphql } from '../gql';
import type { CreateApplicationInput } from '../gql/graphql';
import { EXAMPLE_IDS } from './ExampleBar';

const AddExample = graphql(`
  mutation AddExample($input: CreateApplicationsInput!) {
    createApplications(input: $input) {
      results {
        application {
          id
          ...OnBoard
        }
      }
      userErrors {
        message
      }
    }
  }
`);

/** What they are; a date is so many days from today. */
const ROWS: readonly (Omit<CreateApplicationInput, 'dateApplied' | 'nextActionDate' | 'offerDueDate'> & {
  readonly dateApplied?: number;
  readonly nextActionDate?: number;
  readonly offerDueDate?: number;
})[] = [
  { companyName: 'Acme', positionTitle: 'Product designer', status: 'UNSUBMITTED', nextAction: 'Finish the portfolio', nextActionDate: 1, location: 'Berlin', tags: ['favourite'] },
  { companyName: 'Initech', positionTitle: 'Business analyst', status: 'UNSUBMITTED', jobPostingUrl: 'https://initech.example/jobs/1', isRemote: true },
  { companyName: 'Globex', positionTitle: 'Data engineer', status: 'APPLIED', dateApplied: -16, nextAction: 'Ask for an answer', nextActionDate: -1, companyCategory: 'ENERGY' },
  { companyName: 'Hooli', positionTitle: 'Site reliability engineer', status: 'APPLIED', dateApplied: -3, salaryMin: 90_000, salaryMax: 110_000, salaryCurrency: 'EUR', salaryPeriod: 'YEAR', skillsMatch: 4 },
  { companyName: 'Soylent', positionTitle: 'Food scientist', status: 'INTERVIEWING', dateApplied: -24, nextAction: 'Onsite interview', nextActionDate: 2, location: 'Lyon', notes: 'They make everything in house.' },
  { companyName: 'Vandelay', positionTitle: 'Import specialist', status: 'GIVEN_OFFER', dateApplied: -38, offerDueDate: 4, location: 'New York', tags: ['relocation'] },
  { companyName: 'Wonka', positionTitle: 'Taste tester', status: 'REJECTED', dateApplied: -30, companyCategory: 'RETAIL' },
];

/** Adds them, and rejects if they are not added. */
export async function addExample(client: ApolloClient): Promise<void> {
  const day = (days: number | undefined) => (days === undefined ? null : daysAfter(today(), days));
  const applications = ROWS.map(({ dateApplied, nextActionDate, offerDueDate, ...row }, at) => ({
    ...row,
    id: EXAMPLE_IDS[at] ?? null,
    dateApplied: day(dateApplied),
    nextActionDate: day(nextActionDate),
    offerDueDate: day(offerDueDate),
  }));
  await client.mutate({
    mutation: AddExample,
    variables: { input: { applications } },
    update: (cache, { data }) => {
      for (const result of data?.createApplications?.results ?? []) settle(cache, null, result?.application);
    },
  });
}
