// Import of a CSV file: what will happen, then what did. Doing it twice makes nothing twice.

import { useApolloClient } from '@apollo/client/react';
import { Dialog } from 'radix-ui';
import { useEffect, useMemo, useState } from 'react';
import { csv, download } from 'trestle-web-kit/ui/csv';
import { number } from 'trestle-web-kit/ui/dates';
import { draftOf } from 'trestle-web-kit/ui/drafts';
import { useReturnFocus } from 'trestle-web-kit/ui/focus';
import { NoticeOutlet } from 'trestle-web-kit/ui/notices';

import type { ImportDateOrder } from '../gql/graphql';
import { CURRENCY_CODES, likelyCurrency } from '../ui/amounts';
import { Icon } from '../ui/icons';
import { type Progress, progress } from './progress';
import { type Dates, datesOf, guess, readingOf } from './reading';
import { amountsIn, type Mapping, readRows, readTable, readText, type Table, TARGETS } from './rows';
import { cancelImport, closeImport, continueImport, startImport } from './run';
import { type Found, lookUp, wordsOf } from './there';
import 'trestle-web-kit/styles/dialogs.css';
import '../styles/importing.css';

/** Rows that the preview shows. */
const SHOWN = 100;

/** The text of the file that was chosen and not imported: signing in again may leave the page. */
const CHOSEN = draftOf('import');

function chosen(): Table | null {
  const text = CHOSEN.read();
  return text === null ? null : readTable(text);
}

export function ImportDialog({ onClose }: { onClose: () => void }) {
  const [table, setTable] = useState<Table | null>(chosen);
  const returnFocus = useReturnFocus();
  const work = progress.use();
  return (
    <Dialog.Root
      open
      onOpenChange={(open) => {
        if (open) return;
        CHOSEN.drop();
        onClose();
      }}
    >
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content
          className="dialog wide-dialog"
          aria-describedby={undefined}
          onCloseAutoFocus={returnFocus}
          // What was chosen is not lost by a press beside the dialog.
          onInteractOutside={(event) => table && !work && event.preventDefault()}
        >
          <div className="dialog-bar">
            <Dialog.Title>Import applications</Dialog.Title>
            <Dialog.Close className="bare" aria-label="Close">
              <Icon name="close" />
            </Dialog.Close>
          </div>
          {work?.now === 'running' && <Running work={work} onClose={onClose} />}
          {work?.now === 'ended' && (
            <Done
              work={work}
              onClose={() => {
                closeImport();
                onClose();
              }}
            />
          )}
          {!work && table && <Preview table={table} onOther={() => {
                CHOSEN.drop();
                setTable(null);
              }} />}
          {!work && !table && <Choose onTable={setTable} />}
          <NoticeOutlet />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Choose({ onTable }: { onTable: (table: Table) => void }) {
  const [problem, setProblem] = useState<string | null>(null);
  async function read(file: File | undefined) {
    if (!file) return;
    const text = await readText(file);
    const table = readTable(text);
    if (table.rows.length === 0) {
      setProblem(`${file.name} has no rows below its first line.`);
      return;
    }
    try {
      CHOSEN.keep(text);
    } catch {
      // A file that is too large for the browser has to be chosen again.
    }
    onTable(table);
  }
  return (
    <>
      <label
        className="drop"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          void read(event.dataTransfer.files[0]);
        }}
      >
        <Icon name="upload" />
        <strong>Choose a CSV file, or drop it here</strong>
        <span className="quiet">
          From a spreadsheet, Huntr, Teal, Simplify or another tracker. Its first line names the columns, such as company,
          position, status, applied.
        </span>
        <input
          className="visually-hidden"
          type="file"
          accept=".csv,text/csv"
          aria-label="CSV file"
          onChange={(event) => void read(event.target.files?.[0])}
        />
      </label>
      {problem && <p role="alert">{problem}</p>}
    </>
  );
}

function Preview({
  table,
  onOther,
}: {
  table: Table;
  onOther: () => void;
}) {
  const client = useApolloClient();
  const [mapping, setMapping] = useState<Mapping>(() => table.columns.map(() => ''));
  /** Whether the server has said which column is what. */
  const [isGuessed, setGuessed] = useState(false);
  const [dates, setDates] = useState<Dates | null>(null);
  const [order, setOrder] = useState<ImportDateOrder | null>(null);
  const amounts = useMemo(() => amountsIn(table, mapping), [table, mapping]);
  const [money, setMoney] = useState<string | null>(null);
  const code = money ?? likelyCurrency(amounts);
  const rows = useMemo(() => readRows(table, mapping), [table, mapping]);
  const reading = useMemo(
    () => dates && readingOf(table, mapping, dates, order, code),
    [table, mapping, dates, order, code],
  );
  const [there, setThere] = useState<ReadonlyMap<number, Found> | null>(null);
  const [unread, setUnread] = useState(false);
  const [tries, setTries] = useState(0);
  /** Whether what is there and differs is changed as well. */
  const [changing, setChanging] = useState(false);

  useEffect(() => {
    if (isGuessed) return;
    let current = true;
    setUnread(false);
    guess(client, table).then(
      (guessed) => {
        if (!current) return;
        setMapping(guessed);
        setGuessed(true);
      },
      () => current && setUnread(true),
    );
    return () => {
      current = false;
    };
  }, [client, table, isGuessed, tries]);

  useEffect(() => {
    if (!isGuessed) return;
    let current = true;
    setDates(null);
    setUnread(false);
    datesOf(client, table, mapping).then(
      (found) => current && setDates(found),
      () => current && setUnread(true),
    );
    return () => {
      current = false;
    };
  }, [client, table, mapping, isGuessed, tries]);

  useEffect(() => {
    if (!reading) {
      setThere(null);
      return;
    }
    let current = true;
    const good = rows.flatMap((row) => (row.kind === 'good' ? [row] : []));
    setThere(null);
    lookUp(client, good, reading, () => !current).then(
      (found) => current && setThere(found),
      // What is there is not known, so nothing is sent: it might be there twice then.
      () => current && setUnread(true),
    );
    return () => {
      current = false;
    };
  }, [client, rows, reading]);

  const wanted = rows.flatMap((row) => {
    const found = row.kind === 'good' ? there?.get(row.line) : undefined;
    return row.kind === 'good' && found ? [{ row, found }] : [];
  });
  const of = (outcome: Found['outcome']) => wanted.filter(({ found }) => found.outcome === outcome);
  // What is refused is sent as well: the report has it then, to be saved and corrected.
  const fresh = [...of('NEW'), ...of(null), ...(changing ? of('CHANGED') : [])];
  const [changed, refused] = [of('CHANGED').length, of(null).length];
  const count = (kind: string) => rows.filter((row) => row.kind === kind).length;

  const left = wanted.reduce((sum, { found }) => sum + found.left.length, 0);
  return (
    <>
      <p className="summary" aria-live="polite">
        {there ? (
          <>
            <b>{number(of('NEW').length)}</b> new, {changed > 0 && <><b>{number(changed)}</b> changed, </>}
            <b>{number(of('UNCHANGED').length)}</b> there already,{' '}
            {refused > 0 && <><b>{number(refused)}</b> refused, </>}
            <b>{number(count('twice'))}</b> twice in the file, <b>{number(count('bad'))}</b> cannot be
            read{left > 0 && <>, <b>{number(left)}</b> {left === 1 ? 'cell' : 'cells'} left out</>}
          </>
        ) : (
          !unread && 'Looking up what is there already'
        )}
        {unread && (
          <>
            What is there already could not be looked up.{' '}
            <button type="button" className="link" onClick={() => setTries(tries + 1)}>
              Try again
            </button>
          </>
        )}
      </p>
      {changed > 0 && (
        <label className="date-order">
          <input type="checkbox" checked={changing} onChange={({ target }) => setChanging(target.checked)} />
          <span>Change those that are there and differ as the file has them</span>
        </label>
      )}
      {table.unclosed !== null && (
        <p role="alert">
          The quotation mark in line {number(table.unclosed)} has no other: what follows it is read as one value.
        </p>
      )}
      {isGuessed && !(mapping.includes('companyName') && mapping.includes('positionTitle')) && (
        <p role="alert">Choose below which column is the company and which is the position.</p>
      )}
      {dates?.example && (
        <label className="date-order">
          <span>In dates such as {dates.example}</span>
          <select
            value={order ?? (dates.unclear === null ? dates.orders.find((one) => one) : null) ?? ''}
            onChange={(event) => setOrder(event.target.value === 'MONTH_FIRST' ? 'MONTH_FIRST' : 'DAY_FIRST')}
          >
            <option value="" disabled>
              choose what comes first
            </option>
            <option value="MONTH_FIRST">the month comes first</option>
            <option value="DAY_FIRST">the day comes first</option>
          </select>
        </label>
      )}
      {amounts.length > 0 && (
        <label className="date-order">
          <span>Amounts are in</span>
          <select value={code ?? ''} onChange={({ target }) => setMoney(target.value)}>
            <option value="">no currency</option>
            {CURRENCY_CODES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
          <span className="quiet">unless they name another one.</span>
        </label>
      )}
      <div className="preview" tabIndex={0} role="region" aria-label="Preview">
        <table>
          <thead>
            <tr>
              <th scope="col">Line</th>
              <th scope="col">What happens</th>
              {table.columns.map((column, index) => (
                <th key={`${column} ${index}`} scope="col">
                  <span>{column}</span>
                  <select
                    aria-label={`Column ${column} is`}
                    value={mapping[index] ?? ''}
                            onChange={(event) => {
                      const target = TARGETS.find(({ name }) => name === event.target.value)?.name ?? '';
                      setMapping(
                        mapping.map((other, place) =>
                          place === index ? target : other === target ? '' : other,
                        ),
                      );
                    }}
                  >
                    <option value="">Leave out</option>
                    {TARGETS.map(({ name, words }) => (
                      <option key={name} value={name}>
                        {words}
                      </option>
                    ))}
                  </select>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, SHOWN).map((row, place) => (
              <tr key={row.line} className={row.kind}>
                <td>{row.line}</td>
                <td>
                  {row.kind === 'bad' && row.reason}
                  {row.kind === 'twice' && 'Twice in the file'}
                  {row.kind === 'good' &&
                    [there?.get(row.line)]
                      .flatMap((found) => (found ? [wordsOf(found), ...found.left] : []))
                      .join('. ')}
                </td>
                {table.columns.map((column, index) => (
                  <td key={`${column} ${index}`}>{table.rows[place]?.cells[index]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > SHOWN && (
        <p className="quiet">These are the first {SHOWN} of {number(rows.length)} rows.</p>
      )}
      <div className="buttons">
        <button type="button" className="button" onClick={onOther}>
          Another file
        </button>
        <button
          type="button"
          className="button primary"
          disabled={!there || fresh.length === 0}
          onClick={() => {
            CHOSEN.drop();
            if (reading) void startImport(client, { rows: fresh.map(({ row }) => row), reading, changing });
          }}
        >
          Import {number(fresh.length)}
        </button>
      </div>
    </>
  );
}

function Running({ work, onClose }: { work: Extract<Progress, { now: 'running' }>; onClose: () => void }) {
  return (
    <>
      <p className="summary">
        <b>{number(work.done)}</b> of {number(work.total)} sent. You can close this: the import goes on.
      </p>
      <div className="buttons">
        <progress aria-label="Import" max={work.total} value={work.done} />
        <button type="button" className="button" onClick={cancelImport}>
          Cancel
        </button>
        <button type="button" className="button primary" onClick={onClose}>
          Go on with other things
        </button>
      </div>
    </>
  );
}

function Done({ work, onClose }: { work: Extract<Progress, { now: 'ended' }>; onClose: () => void }) {
  const client = useApolloClient();
  const { made, failed, left } = work;
  const rows = failed.map(({ line, name, reason }) => [line, name, reason]);
  return (
    <>
      <p className="summary" role="status">
        <b>{number(made)}</b> imported, <b>{number(failed.length)}</b> refused
        {left > 0 && (
          <>
            , <b>{number(left)}</b> not sent
          </>
        )}
      </p>
      {failed.length > 0 && (
        <ul className="refusals" aria-label="Refused rows">
          {failed.slice(0, SHOWN).map(({ line, name, reason }) => (
            <li key={line}>
              <span>
                Line {line}, {name}: {reason}
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className="quiet">Importing the same file again leaves what is there as it is.</p>
      <div className="buttons">
        {failed.length > 0 && (
          <button
            type="button"
            className="button"
            onClick={() => download('refused.csv', 'text/csv', csv([['line', 'application', 'reason'], ...rows]))}
          >
            Download what was refused
          </button>
        )}
        {left > 0 && (
          <button type="button" className="button" onClick={() => continueImport(client)}>
            Continue with {number(left)}
          </button>
        )}
        <button type="button" className="button primary" onClick={onClose}>
          Done
        </button>
      </div>
    </>
  );
}
