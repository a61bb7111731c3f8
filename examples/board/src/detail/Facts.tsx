// The fields of an application, each edited where it stands.

import type { FragmentType } from '@apollo/client';
import { useFragment } from '@apollo/client/react';

import { useWhole } from '../api/whole';
import { graphql } from '../gql';
import {
  ApplicationStatus,
  CompanyCategory,
  type FactsFragment,
  JobSource,
} from '../gql/graphql';
import { Icon } from '../ui/icons';
import {
  CATEGORY_WORDS,
  day,
  enumValue,
  fieldWords,
  inWords,
  lasting,
  moment,
  number,
  SOURCE_WORDS,
  STATUS_WORDS,
} from '../ui/words';
import type { PageChanges, Patch } from './changes';
import { InPlace } from './InPlace';

const FactsDocument = graphql(`
  fragment Facts on Application {
    id
    companyName
    positionTitle
    status
    statusSince
    isArchived
    dateApplied
    offerDueDate
    companyUrl
    jobPostingUrl
    companyCareerUrl
    companyCategory
    jobSource
    skillsMatch
    coverLetterRequired
    specialRequirements
    notes
    salaryMin
    salaryMax
    createdAt
    updatedAt
  }
`);

/** The most that the API's `Int` holds. */
const MOST = 2 ** 31 - 1;

const MATCH_WORDS = { 1: '1 of 5', 2: '2 of 5', 3: '3 of 5', 4: '4 of 5', 5: '5 of 5' };
const LETTER_WORDS = { true: 'Required', false: 'Not required' };

export function Facts({
  application,
  changes,
}: {
  application: FragmentType<FactsFragment>;
  changes: PageChanges;
}) {
  const data = useWhole(
    useFragment({
      fragment: FactsDocument,
      fragmentName: 'Facts',
      from: application,
    }),
  );
  if (!data) return null;
  const edit = (patch: Patch) => changes.edit(patch, `change ${Object.keys(patch).map(fieldWords).join(', ')}`);

  return (
    <section aria-label="Application">
      <header className="title">
        <InPlace
          label="Company"
          className="company"
          value={data.companyName}
          kind={{ type: 'text', maxLength: 200, required: true }}
          save={(companyName) => edit({ companyName })}
        />
        <InPlace
          label="Position"
          className="role"
          value={data.positionTitle}
          kind={{ type: 'text', maxLength: 200, required: true }}
          save={(positionTitle) => edit({ positionTitle })}
        />
        <p className="quiet">
          {data.isArchived && 'Archived. '}Added {moment(data.createdAt)}, changed{' '}
          <time dateTime={data.updatedAt}>{moment(data.updatedAt)}</time>
        </p>
      </header>
      <dl className="facts-grid">
        <Row label="Status">
          <InPlace
            label="Status"
            value={data.status}
            shown={(status) => (
              <>
                <i className="dot" data-status={status} /> {inWords('status', status)}
              </>
            )}
            kind={{ type: 'choice', words: STATUS_WORDS, required: true }}
            save={(text) => edit({ status: enumValue(ApplicationStatus, text ?? '') })}
          />
          {data.statusSince && <small className="quiet">{lasting(data.statusSince)}</small>}
        </Row>
        <Row label="Applied on">
          <InPlace
            label="Applied on"
            value={data.dateApplied ?? ''}
            shown={day}
            kind={{ type: 'date' }}
            save={(dateApplied) => edit({ dateApplied })}
          />
        </Row>
        <Row label="Answer offer by">
          <InPlace
            label="Answer offer by"
            value={data.offerDueDate ?? ''}
            shown={day}
            kind={{ type: 'date' }}
            save={(offerDueDate) => edit({ offerDueDate })}
          />
        </Row>
        <Row label="Salary from">
          <InPlace
            label="Salary from"
            value={data.salaryMin?.toString() ?? ''}
            shown={(text) => number(Number(text))}
            kind={{ type: 'number', min: 0, max: MOST }}
            save={(text) => edit({ salaryMin: integer(text) })}
          />
        </Row>
        <Row label="Salary to">
          <InPlace
            label="Salary to"
            value={data.salaryMax?.toString() ?? ''}
            shown={(text) => number(Number(text))}
            kind={{ type: 'number', min: 0, max: MOST }}
            save={(text) => edit({ salaryMax: integer(text) })}
          />
        </Row>
        <Row label="Skills match">
          <InPlace
            label="Skills match"
            value={data.skillsMatch?.toString() ?? ''}
            kind={{ type: 'choice', words: MATCH_WORDS }}
            save={(text) => edit({ skillsMatch: integer(text) })}
          />
        </Row>
        <Row label="Category">
          <InPlace
            label="Category"
            value={data.companyCategory ?? ''}
            kind={{ type: 'choice', words: CATEGORY_WORDS }}
            save={(text) => edit({ companyCategory: enumValue(CompanyCategory, text ?? '') })}
          />
        </Row>
        <Row label="Source">
          <InPlace
            label="Source"
            value={data.jobSource ?? ''}
            kind={{ type: 'choice', words: SOURCE_WORDS }}
            save={(text) => edit({ jobSource: enumValue(JobSource, text ?? '') })}
          />
        </Row>
        <Row label="Cover letter">
          <InPlace
            label="Cover letter"
            value={data.coverLetterRequired?.toString() ?? ''}
            kind={{ type: 'choice', words: LETTER_WORDS }}
            save={(text) => edit({ coverLetterRequired: text === null ? null : text === 'true' })}
          />
        </Row>
        <LinkRow
          label="Posting"
          value={data.jobPostingUrl}
          save={(jobPostingUrl) => edit({ jobPostingUrl })}
        />
        <LinkRow label="Company site" value={data.companyUrl} save={(companyUrl) => edit({ companyUrl })} />
        <LinkRow
          label="Careers page"
          value={data.companyCareerUrl}
          save={(companyCareerUrl) => edit({ companyCareerUrl })}
        />
        <Row label="Requirements" wide>
          <InPlace
            label="Special requirements"
            className="long"
            value={data.specialRequirements ?? ''}
            kind={{ type: 'long', maxLength: 5000 }}
            save={(specialRequirements) => edit({ specialRequirements })}
          />
        </Row>
        <Row label="Notes" wide>
          <InPlace
            label="Notes"
            className="long"
            value={data.notes ?? ''}
            kind={{ type: 'long', maxLength: 5000 }}
            save={(notes) => edit({ notes })}
          />
        </Row>
      </dl>
    </section>
  );
}

function Row({
  label,
  wide,
  children,
}: {
  label: string;
  wide?: boolean;
  children: React.ReactNode;
}) {
  return (
    <div className={wide ? 'wide' : undefined}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function LinkRow({
  label,
  value,
  save,
}: {
  label: string;
  value: string | null;
  save: React.ComponentProps<typeof InPlace>['save'];
}) {
  return (
    <Row label={label} wide>
      <InPlace
        label={label}
        value={value ?? ''}
        shown={(url) => url.replace(/^https?:\/\/(www\.)?/u, '')}
        kind={{ type: 'url' }}
        save={save}
      />
      {value && (
        <a className="bare" href={value} target="_blank" rel="noreferrer" aria-label={`Open ${label}`}>
          <Icon name="external" />
        </a>
      )}
    </Row>
  );
}

function integer(text: string | null): number | null {
  return text === null ? null : Number(text);
}
