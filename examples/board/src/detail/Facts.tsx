// The fields of an application, each edited where it stands.

import type { FragmentType } from '@apollo/client';
import { useFragment } from '@apollo/client/react';
import { useState } from 'react';
import { useWhole } from 'trestle-web-kit/api/whole';
import { day, lasting, moment, today } from 'trestle-web-kit/ui/dates';

import { graphql } from '../gql';
import {
  ApplicationStatus,
  CompanyCategory,
  type FactsFragment,
  JobSource,
  SalaryPeriod,
} from '../gql/graphql';
import { CURRENCY_CODES, currencyWords } from '../ui/amounts';
import { chooseCurrency, PERIOD_WORDS, useCurrency } from '../ui/money';
import { Icon } from '../ui/icons';
import { CATEGORY_WORDS, enumValue, fieldWords, inWords, REMOTE_WORDS, SOURCE_WORDS, STATUS_WORDS } from '../ui/words';
import { tagProblem, tagsIn } from '../ui/tagLine';
import { Tags } from '../ui/tags';
import type { EditPatch, PageChanges } from './changes';
import type { Kind } from './Editor';
import { InPlace } from './InPlace';
import { payField } from './pay';

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
    nextAction
    nextActionDate
    notes
    salaryMin
    salaryMax
    salaryCurrency
    salaryPeriod
    tags
    location
    isRemote
    postingText
    closingDate
    createdAt
    updatedAt
  }
`);

const MATCH_WORDS = { 1: '1 of 5', 2: '2 of 5', 3: '3 of 5', 4: '4 of 5', 5: '5 of 5' };
const LETTER_WORDS = { true: 'Required', false: 'Not required' };

type Save = React.ComponentProps<typeof InPlace>['save'];

/** A field below the stages, which is a mere button while it is empty. */
interface Field {
  readonly label: string;
  readonly value: string;
  readonly kind: Kind;
  readonly save: Save;
  readonly shown?: (value: string) => React.ReactNode;
  readonly wide?: boolean;
}

/** What matters most, then `children`, then the details. */
export function Facts({
  application,
  changes,
  children,
}: {
  application: FragmentType<FactsFragment>;
  changes: PageChanges;
  children: React.ReactNode;
}) {
  const data = useWhole(
    useFragment({
      fragment: FactsDocument,
      fragmentName: 'Facts',
      from: application,
    }),
  );
  if (!data) return null;
  const edit: EditPatch = (patch, seen) =>
    changes.edit(patch, { wish: `change ${Object.keys(patch).map(fieldWords).join(', ')}`, seen });
  const stay = data.statusSince && lasting(data.statusSince);

  return (
    <>
      <section aria-label="Application">
        <header className="title">
          <InPlace
            label="Company"
            className="company"
            value={data.companyName}
            kind={{ type: 'text', maxLength: 200, required: true }}
            save={(companyName, seen) => edit({ companyName }, seen)}
          />
          <InPlace
            label="Position"
            className="role"
            value={data.positionTitle}
            kind={{ type: 'text', maxLength: 200, required: true }}
            save={(positionTitle, seen) => edit({ positionTitle }, seen)}
          />
          <p className="quiet">
            {data.isArchived && 'Archived. '}
            {data.createdAt ? `Added ${moment(data.createdAt)}, changed ` : 'Changed '}
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
              save={(text, seen) => {
                const status = enumValue(ApplicationStatus, text ?? '');
                // The day is the person's: the server would take its own.
                const sent = data.status === 'UNSUBMITTED' && status !== 'UNSUBMITTED' && !data.dateApplied;
                return edit({ status, ...(sent && { dateApplied: today() }) }, seen);
              }}
            />
            {stay && <small className="quiet">for {stay}</small>}
          </Row>
          <Row label="Next step">
            <InPlace
              label="Next step"
              value={data.nextAction ?? ''}
              empty="What is to be done"
              kind={{ type: 'text', maxLength: 200 }}
              save={(nextAction, seen) => edit({ nextAction }, seen)}
            />
          </Row>
          <Row label="Next step on">
            <InPlace
              label="Next step on"
              value={data.nextActionDate ?? ''}
              shown={day}
              empty="Choose a day"
              kind={{ type: 'date' }}
              save={(nextActionDate, seen) => edit({ nextActionDate }, seen)}
            />
          </Row>
          <Row label="Posting" wide>
            <InPlace
              label="Posting"
              value={data.jobPostingUrl ?? ''}
              shown={bareUrl}
              empty="Add a link"
              kind={{ type: 'url' }}
              save={(jobPostingUrl, seen) => edit({ jobPostingUrl }, seen)}
            />
            <Open label="Posting" url={data.jobPostingUrl} />
          </Row>
          <Row label="Tags" wide>
            <InPlace
              label="Tags"
              value={(data.tags ?? []).join(', ')}
              shown={(text) => <Tags tags={tagsIn(text)} />}
              empty="Add tags, with commas between them"
              kind={{
                type: 'text',
                read: (text) => (tagProblem(text) === null ? tagsIn(text).join(', ') : null),
                wrong: (text) => tagProblem(text) ?? '',
              }}
              save={(text, seen) => edit({ tags: text === null ? null : tagsIn(text) }, seen)}
            />
          </Row>
          <Row label="Notes" wide>
            <InPlace
              label="Notes"
              className="long"
              value={data.notes ?? ''}
              empty="Write something down"
              kind={{ type: 'long', maxLength: 5000 }}
              save={(notes, seen) => edit({ notes }, seen)}
            />
          </Row>
        </dl>
      </section>
      {children}
      <Details fields={fieldsOf(data, edit)} paidIn={data.salaryCurrency} />
      <Kept text={data.postingText ?? ''} save={(postingText, seen) => edit({ postingText }, seen)} />
    </>
  );
}

function fieldsOf(data: FactsFragment, edit: EditPatch): Field[] {
  return [
    {
      label: 'Applied on',
      value: data.dateApplied ?? '',
      kind: { type: 'date' },
      shown: day,
      save: (dateApplied, seen) => edit({ dateApplied }, seen),
    },
    {
      label: 'Answer offer by',
      value: data.offerDueDate ?? '',
      kind: { type: 'date' },
      shown: day,
      save: (offerDueDate, seen) => edit({ offerDueDate }, seen),
    },
    {
      label: 'Posting closes on',
      value: data.closingDate ?? '',
      kind: { type: 'date' },
      shown: day,
      save: (closingDate, seen) => edit({ closingDate }, seen),
    },
    { label: 'Salary from', ...payField(data, 'salaryMin', edit) },
    { label: 'Salary to', ...payField(data, 'salaryMax', edit) },
    {
      label: 'Currency',
      value: data.salaryCurrency ?? '',
      kind: { type: 'choice', words: currencyWords(data.salaryCurrency) },
      shown: (code) => code,
      save: (salaryCurrency, seen) => edit({ salaryCurrency }, seen),
    },
    {
      label: 'Salary for',
      value: data.salaryPeriod ?? '',
      kind: { type: 'choice', words: PERIOD_WORDS },
      save: (text, seen) => edit({ salaryPeriod: enumValue(SalaryPeriod, text ?? '') }, seen),
    },
    {
      label: 'Location',
      value: data.location ?? '',
      kind: { type: 'text', maxLength: 200 },
      save: (location, seen) => edit({ location }, seen),
    },
    {
      label: 'Remote',
      value: data.isRemote?.toString() ?? '',
      kind: { type: 'choice', words: REMOTE_WORDS },
      save: (text, seen) => edit({ isRemote: text === null ? null : text === 'true' }, seen),
    },
    {
      label: 'Skills match',
      value: data.skillsMatch?.toString() ?? '',
      kind: { type: 'choice', words: MATCH_WORDS },
      save: (text, seen) => edit({ skillsMatch: text === null ? null : Number(text) }, seen),
    },
    {
      label: 'Category',
      value: data.companyCategory ?? '',
      kind: { type: 'choice', words: CATEGORY_WORDS },
      save: (text, seen) => edit({ companyCategory: enumValue(CompanyCategory, text ?? '') }, seen),
    },
    {
      label: 'Source',
      value: data.jobSource ?? '',
      kind: { type: 'choice', words: SOURCE_WORDS },
      save: (text, seen) => edit({ jobSource: enumValue(JobSource, text ?? '') }, seen),
    },
    {
      label: 'Cover letter',
      value: data.coverLetterRequired?.toString() ?? '',
      kind: { type: 'choice', words: LETTER_WORDS },
      save: (text, seen) => edit({ coverLetterRequired: text === null ? null : text === 'true' }, seen),
    },
    {
      label: 'Company site',
      value: data.companyUrl ?? '',
      kind: { type: 'url' },
      shown: bareUrl,
      save: (companyUrl, seen) => edit({ companyUrl }, seen),
      wide: true,
    },
    {
      label: 'Careers page',
      value: data.companyCareerUrl ?? '',
      kind: { type: 'url' },
      shown: bareUrl,
      save: (companyCareerUrl, seen) => edit({ companyCareerUrl }, seen),
      wide: true,
    },
    {
      label: 'Special requirements',
      value: data.specialRequirements ?? '',
      kind: { type: 'long', maxLength: 5000 },
      save: (specialRequirements, seen) => edit({ specialRequirements }, seen),
      wide: true,
    },
  ];
}

/** What the posting said, which is often gone when the interview comes. Folded, because it is long. */
function Kept({ text, save }: { text: string; save: Save }) {
  const [open, setOpen] = useState(false);
  const field = (
    <InPlace
      label={fieldWords('postingText')}
      className="long"
      value={text}
      empty="Paste it here: postings are taken down"
      kind={{ type: 'long', maxLength: 10_000 }}
      save={save}
    />
  );
  return (
    <section className="details posting" aria-labelledby="posting-title">
      <h2 id="posting-title">
        <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name="fold" /> {fieldWords('postingText')}
          {text === '' && <span className="quiet">nothing kept</span>}
        </button>
      </h2>
      <div hidden={!open}>{field}</div>
    </section>
  );
}

function Details({ fields, paidIn }: { fields: readonly Field[]; paidIn: string | null }) {
  /** A field stays where it was when the page opened, so that filling it moves nothing under the pointer. */
  const [filled] = useState(() => new Set(fields.flatMap(({ label, value }) => (value ? [label] : []))));
  const code = useCurrency();
  const rest = fields.filter(({ label }) => !filled.has(label));
  return (
    <section className="details" aria-labelledby="details-title">
      <h2 id="details-title">Details</h2>
      <dl className="facts-grid">
        {fields
          .filter(({ label }) => filled.has(label))
          .map((field) => (
            <Filled key={field.label} field={field} />
          ))}
      </dl>
      {rest.length > 0 && (
        <dl className="chips">
          {rest.map((field) => (
            <Filled key={field.label} field={field} chip />
          ))}
        </dl>
      )}
      {paidIn === null && <label className="currency quiet">
        Amounts without a currency are in
        <select value={code ?? ''} onChange={({ target }) => chooseCurrency(target.value)}>
          <option value="">no currency</option>
          {CURRENCY_CODES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>}
    </section>
  );
}

function Filled({ field, chip = false }: { field: Field; chip?: boolean }) {
  return (
    <Row label={field.label} wide={field.wide === true} className={chip && !field.value ? 'unfilled' : ''}>
      <InPlace {...field} className={field.kind.type === 'long' ? 'long' : ''} chip={chip} />
      {field.kind.type === 'url' && <Open label={field.label} url={field.value} />}
    </Row>
  );
}

function Row({
  label,
  wide = false,
  className = '',
  children,
}: {
  label: string;
  wide?: boolean;
  className?: string;
  children: React.ReactNode;
}) {
  return (
    <div className={`${wide ? 'wide' : ''} ${className}`}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Open({ label, url }: { label: string; url: string | null }) {
  if (!url) return null;
  return (
    <a className="bare" href={url} target="_blank" rel="noreferrer" aria-label={`Open ${label}`}>
      <Icon name="external" />
    </a>
  );
}

function bareUrl(url: string): string {
  return url.replace(/^https?:\/\/(www\.)?/u, '');
}
