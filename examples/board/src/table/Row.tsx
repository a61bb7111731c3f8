// One application in the table.

import type { FragmentType } from '@apollo/client';
import { useFragment } from '@apollo/client/react';
import { useWhole } from 'trestle-web-kit/api/whole';
import { dateOf, day } from 'trestle-web-kit/ui/dates';

import { graphql } from '../gql';
import type { RowFragment } from '../gql/graphql';
import { href } from '../route';
import { salary } from '../ui/money';
import { CATEGORY_WORDS, STATUS_WORDS } from '../ui/words';

const RowDocument = graphql(`
  fragment Row on Application {
    id
    companyName
    positionTitle
    status
    dateApplied
    offerDueDate
    nextAction
    nextActionDate
    companyCategory
    skillsMatch
    salaryMin
    salaryMax
    createdAt
    updatedAt
  }
`);

/** What the API sorts by. */
export type Sort = 'COMPANY_NAME' | 'DATE_APPLIED' | 'OFFER_DUE_DATE' | 'SKILLS_MATCH' | 'SALARY_MAX' | 'CREATED_AT' | 'UPDATED_AT';

interface Column {
  readonly title: string;
  readonly show: (row: RowFragment) => React.ReactNode;
  /** Empty for what the API does not sort by. */
  readonly sort?: Sort;
}

export const COLUMNS: readonly Column[] = [
  {
    title: 'Company',
    sort: 'COMPANY_NAME',
    show: ({ id, companyName }) => (
      <a href={href(`/applications/${id}`)} dir="auto">
        {companyName}
      </a>
    ),
  },
  { title: 'Position', show: ({ positionTitle }) => positionTitle },
  {
    title: 'Status',
    show: ({ status }) => (
      <>
        <i className="dot" data-status={status} /> {STATUS_WORDS[status]}
      </>
    ),
  },
  { title: 'Applied', sort: 'DATE_APPLIED', show: ({ dateApplied }) => dateApplied && day(dateApplied) },
  {
    title: 'Next step',
    show: ({ nextAction, nextActionDate }) => [nextAction, nextActionDate && day(nextActionDate)].filter(Boolean).join(', '),
  },
  { title: 'Answer by', sort: 'OFFER_DUE_DATE', show: ({ offerDueDate }) => offerDueDate && day(offerDueDate) },
  { title: 'Category', show: ({ companyCategory }) => companyCategory && CATEGORY_WORDS[companyCategory] },
  { title: 'Match', sort: 'SKILLS_MATCH', show: ({ skillsMatch }) => skillsMatch && `${skillsMatch}/5` },
  { title: 'Salary', sort: 'SALARY_MAX', show: ({ salaryMin, salaryMax }) => salary(salaryMin, salaryMax) },
  { title: 'Added', sort: 'CREATED_AT', show: ({ createdAt }) => createdAt && day(dateOf(new Date(createdAt))) },
  { title: 'Changed', sort: 'UPDATED_AT', show: ({ updatedAt }) => day(dateOf(new Date(updatedAt))) },
];

export function Row({
  application,
  chosen,
  onChoose,
}: {
  application: FragmentType<RowFragment>;
  chosen: boolean;
  onChoose: (id: string, on: boolean) => void;
}) {
  const row = useWhole(useFragment({ fragment: RowDocument, fragmentName: 'Row', from: application }));
  if (!row) return null;
  return (
    <tr className={chosen ? 'chosen' : ''}>
      <td className="writes">
        <input
          type="checkbox"
          aria-label={`Select ${row.companyName}`}
          checked={chosen}
          onChange={({ target }) => onChoose(row.id, target.checked)}
        />
      </td>
      {COLUMNS.map(({ title, show }) => (
        <td key={title}>{show(row)}</td>
      ))}
    </tr>
  );
}
