// Applications with a past, as `trestle export` writes them and `trestle import` takes them back: each is
// told by its changes, the oldest first, and all of it is the same for the same names and moments.

import { createHash } from 'node:crypto';

const EMPTY = {
  companyName: null,
  positionTitle: 'Engineer',
  status: 'unsubmitted',
  dateApplied: null,
  offerDueDate: null,
  companyUrl: null,
  jobPostingUrl: null,
  companyCareerUrl: null,
  companyCategory: null,
  jobSource: null,
  skillsMatch: null,
  coverLetterRequired: null,
  specialRequirements: null,
  notes: null,
  salaryMin: null,
  salaryMax: null,
  isArchived: false,
};

/** A UUID for a name. */
function idOf(...name) {
  const hex = createHash('sha256').update(name.join('\n')).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/**
 * One application. Each change has its moment `at`, the fields that it sets, in the words of an export, and
 * `stages`: one of a new name is added, one of a known name is changed, and `completed` is the day on which
 * it was.
 */
export function record(name, changes) {
  const id = idOf(name);
  let state = { ...EMPTY, companyName: name };
  let stages = [];
  const createdAt = changes[0].at.toISOString();
  const history = changes.map(({ at, stages: changed = [], ...fields }, index) => {
    const sequence = index + 1;
    const said = [...tell(state, fields), ...changed.map((stage) => tellStage(stages, stage))];
    const statusSince = fields.status ? at.toISOString() : state.statusSince;
    state = { ...state, ...fields, statusSince };
    for (const stage of changed) stages = withStage(stages, { id, ...stage });
    const snapshot = {
      id,
      ...state,
      historySequence: sequence,
      createdAt,
      updatedAt: at.toISOString(),
      interviewStages: stages,
    };
    return {
      id: idOf(name, sequence),
      applicationId: id,
      sequence,
      description: sequence === 1 ? 'Application created' : said.join('; '),
      snapshot,
      createdAt: at.toISOString(),
    };
  });
  return { ...history.at(-1).snapshot, history };
}

/** What a history says of the fields that a change sets. */
function tell(before, { status, dateApplied, offerDueDate, notes, isArchived, salaryMin, salaryMax }) {
  return [
    status && `Status changed from ${before.status} to ${status}`,
    dateApplied && `Date applied set to ${dateApplied}`,
    offerDueDate &&
      (before.offerDueDate
        ? `Offer due date changed from ${before.offerDueDate} to ${offerDueDate}`
        : `Offer due date set to ${offerDueDate}`),
    notes && (before.notes ? 'Notes changed' : 'Notes added'),
    isArchived && 'Archived',
    salaryMin && `Salary range set to ${salaryMin}-${salaryMax}`,
  ].filter(Boolean);
}

function tellStage(stages, { name, completed, rating }) {
  const stage = `Interview stage "${name}"`;
  const known = stages.some((one) => one.name === name);
  const parts = [!known && `${stage} added`, completed && `${stage} completed`];
  return [...parts, rating && `${stage} rated ${rating}`].filter(Boolean).join('; ');
}

function withStage(stages, { id, name, completed = null, rating = null, notes = null }) {
  const known = stages.find((stage) => stage.name === name);
  const stage = {
    id: idOf(id, name),
    applicationId: id,
    name,
    order: known?.order ?? stages.length,
    isCompleted: completed !== null,
    completedDate: completed,
    notes: notes ?? known?.notes ?? null,
    performanceRating: rating,
  };
  return [...stages.filter((other) => other !== known), stage].toSorted((one, other) => one.order - other.order);
}
