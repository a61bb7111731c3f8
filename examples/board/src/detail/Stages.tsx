// The interview stages: added at the end, dragged or moved by keys into order, and completed.

import type { FragmentType } from '@apollo/client';
import { useFragment } from '@apollo/client/react';
import { arrayMove } from '@dnd-kit/sortable';
import { useContext, useRef, useState } from 'react';
import { useWhole } from 'trestle-web-kit/api/whole';
import { dateOf, day, moment } from 'trestle-web-kit/ui/dates';
import { DraftScope, useDraft } from 'trestle-web-kit/ui/drafts';
import { besides } from 'trestle-web-kit/ui/focus';
import { Sorting, useSorted } from 'trestle-web-kit/ui/sorting';

import { useHidden } from '../api/pending';
import { graphql } from '../gql';
import type { PlacedFragment, StagesFragment } from '../gql/graphql';
import { Icon } from '../ui/icons';
import type { PageChanges } from './changes';
import { InPlace, SeenContext } from './InPlace';

/** As many as the API takes for one application. */
const MOST = 30;
const USUAL = ['Recruiter call', 'Phone screen', 'Take-home task', 'Technical interview', 'System design', 'Onsite', 'Team match', 'Offer call'];
const RATINGS = { 1: '1 of 5', 2: '2 of 5', 3: '3 of 5', 4: '4 of 5', 5: '5 of 5' };

/** How long an interview takes, by minutes. */
const LENGTHS = { 15: '15 min', 30: '30 min', 45: '45 min', 60: '1 hour', 90: '1½ hours', 120: '2 hours', 180: '3 hours', 240: '4 hours', 480: '8 hours' };

/** These, and one more that a stage has. */
function lengths(own: number | null): Record<string, string> {
  return own === null || own in LENGTHS ? LENGTHS : { ...LENGTHS, [own]: `${own} min` };
}

const StagesDocument = graphql(`
  fragment Stages on Application {
    id
    interviewStages {
      id
      name
      order
      isCompleted
      completedDate
      scheduledAt
      durationMinutes
      notes
      performanceRating
    }
  }
`);

type Stage = NonNullable<StagesFragment['interviewStages']>[number];

export function Stages({
  application,
  changes,
}: {
  application: FragmentType<StagesFragment>;
  changes: PageChanges;
}) {
  const data = useWhole(
    useFragment({
      fragment: StagesDocument,
      fragmentName: 'Stages',
      from: application,
    }),
  );
  /** The order that was asked for, until the answer is here. */
  const [asked, setAsked] = useState<readonly string[] | null>(null);
  const readSeen = useContext(SeenContext);
  /** The application and its stages as the person saw them when they lifted one. */
  const lifted = useRef<{ readonly seen: PlacedFragment | null; readonly ids: readonly string[] }>({ seen: null, ids: [] });
  const hidden = useHidden();
  if (!data) return null;
  const all = (data.interviewStages ?? []).toSorted((one, other) => one.order - other.order);
  if (asked) all.sort((one, other) => asked.indexOf(one.id) - asked.indexOf(other.id));
  const stages = all.filter(({ id }) => !hidden.has(id));
  const ids = stages.map(({ id }) => id);

  async function reorder(id: string, over: string) {
    const { seen, ids: then } = lifted.current;
    const order = arrayMove([...then], then.indexOf(id), then.indexOf(over));
    setAsked(order);
    await changes.reorderStages(order, seen);
    setAsked(null);
  }

  return (
    <section className="stages" aria-labelledby="stages-title">
      <h2 id="stages-title">Interview stages</h2>
      <Sorting
        ids={ids}
        nameOf={(id) => stages.find((stage) => stage.id === id)?.name ?? 'Stage'}
        onLift={() => (lifted.current = { seen: readSeen(), ids: all.map(({ id }) => id) })}
        onMove={(id, over) => void reorder(id, over)}
      >
        <ol>
          {stages.map((stage) => (
            <DraftScope key={stage.id} value={stage.id}>
              <StageItem stage={stage} changes={changes} />
            </DraftScope>
          ))}
        </ol>
      </Sorting>
      {all.length < MOST ? (
        <AddStage changes={changes} />
      ) : (
        <p className="quiet">An application holds {MOST} stages at most.</p>
      )}
    </section>
  );
}

function StageItem({ stage, changes }: { stage: Stage; changes: PageChanges }) {
  const { row, isDragging, grip } = useSorted(stage.id);
  const [busy, setBusy] = useState(false);

  async function toggle() {
    setBusy(true);
    await (stage.isCompleted
      ? changes.editStage(stage.id, { isCompleted: false, completedDate: null })
      : changes.completeStage(stage.id));
    setBusy(false);
  }

  return (
    <li {...row} className={isDragging ? 'stage lifted' : 'stage'}>
      {grip(`Reorder ${stage.name}`)}
      <button
        type="button"
        role="checkbox"
        aria-checked={stage.isCompleted}
        aria-label={`${stage.name} completed`}
        aria-busy={busy}
        className={stage.isCompleted ? 'check done' : 'check'}
        onClick={() => void toggle()}
      >
        {stage.isCompleted && <Icon name="check" />}
      </button>
      <InPlace
        label="Stage name"
        className="stage-name"
        value={stage.name}
        kind={{ type: 'text', maxLength: 100, required: true }}
        save={(name, seen) => changes.editStage(stage.id, { name }, seen)}
      />
      {!stage.isCompleted && (
        <InPlace
          label={`${stage.name} takes place at`}
          value={stage.scheduledAt ? toField(stage.scheduledAt) : ''}
          shown={(text) => moment(text)}
          empty="Schedule"
          kind={{ type: 'moment' }}
          save={(text, seen) => changes.editStage(stage.id, { scheduledAt: text === null ? null : withOffset(text) }, seen)}
        />
      )}
      {!stage.isCompleted && stage.scheduledAt && (
        <InPlace
          label={`How long ${stage.name} takes`}
          value={stage.durationMinutes?.toString() ?? ''}
          empty="for 1 hour"
          shown={(minutes) => `for ${lengths(stage.durationMinutes)[minutes] ?? `${minutes} min`}`}
          kind={{ type: 'choice', words: lengths(stage.durationMinutes) }}
          save={(text, seen) =>
            changes.editStage(stage.id, { durationMinutes: text === null ? null : Number(text) }, seen)
          }
        />
      )}
      {stage.isCompleted && (
        <>
          <InPlace
            label={`${stage.name} completed on`}
            value={stage.completedDate ?? ''}
            shown={day}
            kind={{ type: 'date', required: true }}
            save={(completedDate, seen) => changes.editStage(stage.id, { completedDate }, seen)}
          />
          <InPlace
            label={`How ${stage.name} went`}
            value={stage.performanceRating?.toString() ?? ''}
            empty="Rate"
            kind={{ type: 'choice', words: RATINGS }}
            save={(text, seen) =>
              changes.editStage(stage.id, { performanceRating: text === null ? null : Number(text) }, seen)
            }
          />
        </>
      )}
      <button
        type="button"
        className="bare"
        aria-label={`Remove ${stage.name}`}
        onClick={({ currentTarget }) => {
          const next =
            besides(currentTarget.closest('li'), '[aria-label^="Remove "]') ??
            currentTarget.closest('section')?.querySelector('input');
          next?.focus();
          void changes.removeStage(stage.id, stage.name);
        }}
      >
        <Icon name="close" />
      </button>
      <InPlace
        label={`Notes on ${stage.name}`}
        className="stage-notes"
        value={stage.notes ?? ''}
        empty="Add notes"
        kind={{ type: 'long', maxLength: 2000 }}
        save={(notes, seen) => changes.editStage(stage.id, { notes }, seen)}
      />
    </li>
  );
}

/** A moment as a field has it: where the person is, to the minute. */
function toField(moment: string): string {
  const time = new Date(moment);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${dateOf(time)}T${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** The same as the API takes it, with the offset that holds where the person is at that moment. */
function withOffset(field: string): string {
  const offset = -new Date(field).getTimezoneOffset();
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `${field.slice(0, 16)}:00${offset < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`;
}

function AddStage({ changes }: { changes: PageChanges }) {
  const draft = useDraft('New stage');
  const [name, setName] = useState(() => draft.read() ?? '');
  const field = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  return (
    <form
      className="add-stage"
      onSubmit={(event) => {
        event.preventDefault();
        const clean = name.trim();
        if (!clean || busy) return;
        setBusy(true);
        void changes.addStage(clean).then((outcome) => {
          setBusy(false);
          if (outcome !== 'made') return;
          setName('');
          draft.drop();
          field.current?.focus();
        });
      }}
    >
      <input
        ref={field}
        aria-label="New stage"
        placeholder="Add a stage, such as “Phone screen”"
        list="usual-stages"
        maxLength={100}
        value={name}
        onChange={(event) => {
          setName(event.target.value);
          draft.keep(event.target.value);
        }}
      />
      <datalist id="usual-stages">
        {USUAL.map((usual) => (
          <option key={usual} value={usual} />
        ))}
      </datalist>
      <button className="button" disabled={busy || name.trim() === ''}>
        <Icon name="add" /> Add stage
      </button>
    </form>
  );
}
