// One application in the table.

import type { FragmentType } from '@apollo/client';
import { useFragment } from '@apollo/client/react';
import { useWhole } from 'trestle-web-kit/api/whole';
import { dateOf, day } from 'trestle-web-kit/ui/dates';

import { graphql } from '../gql';
import type { ApplicationSortField, RowFragment } from '../gql/graphql';
import { href } from '../route';
import { salary } from '../ui/money';
import { Tags } from '../ui/tags';
import { CATEGORY_WORDS, SOURCE_WORDS, STATUS_WORDS, whereOf } from '../ui/words';

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
    salaryCurrency
    salaryPeriod
    tags
    location
    isRemote
    jobSource
    statusSince
    createdAt
    updatedAt
  }
`);

export interface Column {
  /** Its name in the address. */
  readonly name: string;
  readonly title: string;
  readonly show: (row: RowFragment) => React.ReactNode;
  /** Empty for what the API does not sort by. */
  readonly sort?: ApplicationSortField;
  /** Whether it is shown only if it is chosen. */
  readonly extra?: true;
}

export const COLUMNS: readonly Column[] = [
  {
    name: 'company',
    title: 'Company',
    sort: 'COMPANY_NAME',
    show: ({ id, companyName }) => (
      <a href={href(`/applications/${id}`)} dir="auto">
        {companyName}
      </a>
    ),
  },
  { name: 'position', title: 'Position', show: ({ positionTitle }) => positionTitle },
  {
    name: 'status',
    title: 'Status',
    show: ({ status }) => (
      <>
        <i className="dot" data-status={status} /> {STATUS_WORDS[status]}
      </>
    ),
  },
  { name: 'applied', title: 'Applied', sort: 'DATE_APPLIED', show: ({ dateApplied }) => dateApplied && day(dateApplied) },
  {
    name: 'next',
    title: 'Next step',
    sort: 'NEXT_ACTION_DATE',
    show: ({ nextAction, nextActionDate }) => [nextAction, nextActionDate && day(nextActionDate)].filter(Boolean).join(', '),
  },
  { name: 'answer', title: 'Answer by', sort: 'OFFER_DUE_DATE', show: ({ offerDueDate }) => offerDueDate && day(offerDueDate) },
  { name: 'category', title: 'Category', show: ({ companyCategory }) => companyCategory && CATEGORY_WORDS[companyCategory] },
  { name: 'match', title: 'Match', sort: 'SKILLS_MATCH', show: ({ skillsMatch }) => skillsMatch && `${skillsMatch}/5` },
  { name: 'salary', title: 'Salary', sort: 'SALARY_MAX', show: salary },
  { name: 'location', title: 'Location', show: whereOf },
  { name: 'tags', title: 'Tags', show: ({ tags }) => tags && <Tags tags={tags} /> },
  { name: 'source', title: 'Source', extra: true, show: ({ jobSource }) => jobSource && SOURCE_WORDS[jobSource] },
  {
    name: 'since',
    title: 'In its status since',
    sort: 'STATUS_SINCE',
    extra: true,
    show: ({ statusSince }) => statusSince && day(dateOf(new Date(statusSince))),
  },
  { name: 'added', title: 'Added', sort: 'CREATED_AT', show: ({ createdAt }) => createdAt && day(dateOf(new Date(createdAt))) },
  { name: 'changed', title: 'Changed', sort: 'UPDATED_AT', show: ({ updatedAt }) => day(dateOf(new Date(updatedAt))) },
];

export function Row({
  application,
  columns,
  chosen,
  onChoose,
}: {
  application: FragmentType<RowFragment>;
  columns: readonly Column[];
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
      {columns.map(({ name, show }) => (
        <td key={name}>{show(row)}</td>
      ))}
    </tr>
  );
}
