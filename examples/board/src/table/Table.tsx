// All applications as a table: sorted by a column, selected, changed together, and saved as a file. As in a column of the
// board, only the rows in sight are in the document, and only those around them are in the cache.

import { useApolloClient, useQuery } from '@apollo/client/react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { number } from 'trestle-web-kit/ui/dates';
import { useNotices } from 'trestle-web-kit/ui/notices';
import { Load } from 'trestle-web-kit/ui/part';

import { sortText, STATUSES } from '../api/lists';
import { idAt, windowed } from '../api/paging';
import { useLoaded } from '../api/loaded';
import { useReason } from '../api/reason';
import { againBy, useWindow } from '../api/window';
import { changed, filterFrom, isNarrow } from '../board/filter';
import { ALSO_FOUND, Filters } from '../board/Filters';
import { Welcome } from '../board/Welcome';
import { graphql } from '../gql';
import { type ApplicationSort, type ApplicationSortField, ApplicationStatus } from '../gql/graphql';
import { replaceFilter, useTitle } from '../route';
import { useAway } from '../ui/away';
import { AsOf } from '../ui/AsOf';
import { Icon } from '../ui/icons';
import { usePrintKey } from '../ui/printing';
import { NotLoaded } from '../ui/NotLoaded';
import { enumValue, STATUS_WORDS } from '../ui/words';
import { BATCH, useBulk } from './bulk';
import { All } from './All';
import { save } from './file';
import { printList } from './print';
import { ColumnMenu } from './ColumnMenu';
import { Row } from './Row';
import { columnsIn, sortIn } from './view';
import 'trestle-web-kit/styles/dialogs.css';
import '../styles/table.css';

/** Rows of a page: in most orders, each costs the server as much. */
const PAGE = 100;
/** How many rows before the end of what is loaded the next page is requested. */
const AHEAD = 20;
/** A row's height in pixels. */
const HEIGHT = 41;

/** What is read upwards at first: from A, and from what comes next or has waited longest. */
const UPWARDS = new Set<ApplicationSortField>(['COMPANY_NAME', 'NEXT_ACTION_DATE', 'STATUS_SINCE']);

const NONE: readonly never[] = [];

const TableQuery = graphql(`
  query Table($filter: ApplicationFilter!, $sortBy: ApplicationSort!, $first: Int!, $after: String) {
    applications(filter: $filter, sortBy: $sortBy, first: $first, after: $after) {
      edges {
        node {
          id
          ...Row
          ...OnBoard
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      totalCount
    }
  }
`);

const RowsAgain = graphql(`
  query RowsAgain($ids: [ID!]!) {
    nodes(ids: $ids) {
      id
      ... on Application {
        version
        ...Row
        ...OnBoard
      }
    }
  }
`);

const again = againBy(RowsAgain);

export function Table({ params }: { params: URLSearchParams }) {
  useTitle('Table');
  const sortBy = sortIn(params);
  const columns = columnsIn(params);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  /** All that fit the filter, if they were chosen, also those that are not loaded. */
  const [every, setEvery] = useState<readonly string[] | null>(null);
  const filter = filterFrom(params);
  const of = JSON.stringify(filter);
  useEffect(() => {
    setEvery(null);
    setChosen(new Set());
  }, [of]);
  const list = windowed({ filter, sortBy });
  const variables = { filter, sortBy, first: PAGE };
  const { data, loading, error, fetchMore, refetch, observable } = useQuery(TableQuery, {
    variables,
    fetchPolicy: 'cache-and-network',
    nextFetchPolicy: 'cache-first',
    notifyOnNetworkStatusChange: true,
  });
  const at = useLoaded(observable, TableQuery, variables, data !== undefined);
  const reason = useReason(error);
  const edges = data?.applications?.edges ?? NONE;
  const { hasNextPage = false, endCursor = null } = data?.applications?.pageInfo ?? {};
  const total = data?.applications?.totalCount ?? null;

  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: edges.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => HEIGHT,
    overscan: 10,
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useWindow(list, edges, { first: shown[0]?.index ?? 0, last }, again);
  useEffect(() => {
    scroller.current?.scrollTo(0, 0);
  }, [sortBy.field, sortBy.direction]);
  const wanted = hasNextPage && !loading && !error && last >= edges.length - AHEAD;
  useEffect(() => {
    if (wanted) fetchMore({ variables: { after: endCursor } }).catch(() => {});
  }, [wanted, endCursor, fetchMore]);
  const client = useApolloClient();
  usePrintKey(() => printList(client, { filter, sortBy }));
  const loaded = edges.length;
  const empty = total === 0 && !isNarrow(filter) && filter.archived !== 'ONLY';
  /** The ids of all that are listed, also of those that are not in the cache any more. */
  const listed = () => Array.from(edges, (_, at) => idAt(list.edges, at) ?? []).flat();
  // What was chosen and is not listed any more, is not chosen.
  const selected = chosen.size === 0 ? [] : (every ?? listed()).filter((id) => chosen.has(id));
  const unchoose = () => {
    setEvery(null);
    setChosen(new Set());
  };

  function choose(id: string, on: boolean) {
    setChosen((before) => {
      const next = new Set(before);
      if (on) next.add(id);
      else next.delete(id);
      return next;
    });
  }

  return (
    <main className="table-page" id="content" tabIndex={-1} aria-busy={loading}>
      <div className="board-bar">
        <h1>{filter.archived === 'ONLY' ? 'Archive' : 'Table'}</h1>
        <p className="quiet" role="status">
          {total !== null ? `${number(total)} applications` : data && `${number(loaded)}${hasNextPage ? '+' : ''}`}
        </p>
        <Filters params={params} />
      </div>
      <AsOf at={at} missing={!data} more={hasNextPage ? `, the first ${number(loaded)}` : ''} />
      {filter.text && <Load part={ALSO_FOUND} props={{ filter }} failed={() => null} />}
      {!empty && (
        <Selection params={params} selected={selected} filter={filter} sortBy={sortBy} onEnd={unchoose} />
      )}
      {loaded > 0 && selected.length === loaded && hasNextPage && every === null && (
        <All
          key={of}
          loaded={loaded}
          total={total}
          filter={filter}
          onAll={(ids) => {
            setEvery(ids);
            setChosen(new Set(ids));
          }}
        />
      )}
      {reason !== null && <NotLoaded className="empty" what="The table" reason={reason} again={refetch} />}
      {empty && <Welcome />}
      <div className="table-scroller" hidden={empty} ref={scroller} tabIndex={0} role="region" aria-label="Applications">
        <table className="all" aria-rowcount={total ?? undefined}>
          <thead>
            <tr>
              <th scope="col" className="writes">
                <input
                  type="checkbox"
                  aria-label="Select all that are loaded"
                  checked={loaded > 0 && selected.length >= loaded}
                  onChange={({ target }) => {
                    setEvery(null);
                    setChosen(new Set(target.checked ? listed() : []));
                  }}
                />
              </th>
              {columns.map(({ name, title, sort }) => (
                <Header
                  key={name}
                  title={title}
                  sort={sort}
                  sortBy={sortBy}
                  onSort={(next) => replaceFilter(changed(params, 'sort', [sortText(next)]))}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown[0] && shown[0].start > 0 && <tr aria-hidden="true" style={{ height: shown[0].start }} />}
            {shown.map(({ index }) => {
              const node = edges[index]?.node;
              const id = idAt(list.edges, index);
              return node && id ? (
                <Row key={id} application={node} columns={columns} chosen={chosen.has(id)} onChoose={choose} />
              ) : (
                // Its place, until it is here.
                <tr key={id ?? index} aria-hidden="true">
                  <td colSpan={columns.length + 1} />
                </tr>
              );
            })}
            <tr aria-hidden="true" style={{ height: Math.max(0, virtual.getTotalSize() - (shown.at(-1)?.end ?? 0)) }} />
          </tbody>
        </table>
        {!loading && !error && loaded === 0 && <p className="empty">Nothing found</p>}
      </div>
    </main>
  );
}

function Header({
  title,
  sort,
  sortBy,
  onSort,
}: {
  title: string;
  sort: ApplicationSortField | undefined;
  sortBy: ApplicationSort;
  onSort: (sortBy: ApplicationSort) => void;
}) {
  if (!sort) return <th scope="col">{title}</th>;
  const here = sortBy.field === sort ? sortBy.direction : null;
  const next = here ? (here === 'ASC' ? 'DESC' : 'ASC') : UPWARDS.has(sort) ? 'ASC' : 'DESC';
  return (
    <th scope="col" aria-sort={here ? (here === 'ASC' ? 'ascending' : 'descending') : 'none'}>
      <button type="button" onClick={() => onSort({ field: sort, direction: next })}>
        {title} <span aria-hidden="true">{here && { ASC: '↑', DESC: '↓' }[here]}</span>
      </button>
    </th>
  );
}

/** What can be done with the selected applications, or saved of all. */
function Selection({
  params,
  selected,
  filter,
  sortBy,
  onEnd,
}: {
  params: URLSearchParams;
  selected: readonly string[];
  filter: ReturnType<typeof filterFrom>;
  sortBy: ApplicationSort;
  onEnd: () => void;
}) {
  const client = useApolloClient();
  const notices = useNotices();
  const bulk = useBulk();
  const [busy, setBusy] = useState(false);
  const count = selected.length;
  const archived = filter.archived === 'ONLY';
  const away = useAway() !== null;
  /** How many of many are done, while something is. */
  const [done, setDone] = useState(0);
  const stop = useRef(new AbortController());
  const work = () => {
    stop.current = new AbortController();
    setDone(0);
    return { onDone: setDone, signal: stop.current.signal };
  };

  async function during(work: Promise<unknown>) {
    setBusy(true);
    await work.catch(() => notices.warn('This could not be done: the server does not answer.'));
    setBusy(false);
  }

  return (
    <div className="selection" role="toolbar" aria-label="Selected applications">
      {count > 0 && (
        <span className="writes">
          <b>{number(count)} selected</b>
          <select
            aria-label="Change status"
            value=""
            disabled={busy || away}
            onChange={({ target }) => {
              const status = enumValue(ApplicationStatus, target.value);
              if (status) void during(bulk.move(selected, status, work()).then(onEnd));
            }}
          >
            <option value="">Change status</option>
            {STATUSES.map((status) => (
              <option key={status} value={status}>
                {STATUS_WORDS[status]}
              </option>
            ))}
          </select>
          <button
            type="button"
            className="button"
            disabled={busy || away}
            onClick={() => void during((archived ? bulk.unarchive(selected, work()) : bulk.archive(selected, work())).then(onEnd))}
          >
            <Icon name={archived ? 'restore' : 'archive'} /> {archived ? 'Take out' : 'Archive'}
          </button>
          <button
            type="button"
            className="button"
            disabled={busy || away}
            onClick={() => {
              void bulk.remove(selected);
              onEnd();
            }}
          >
            <Icon name="trash" /> Delete
          </button>
          {away && <span className="quiet">Many at once can be changed as soon as the server can be reached.</span>}
          {busy && count > BATCH && (
            <span role="status">
              {number(done)} of {number(count)} done{' '}
              <button type="button" className="link" onClick={() => stop.current.abort()}>
                Stop
              </button>
            </span>
          )}
        </span>
      )}
      <span className="grow" />
      <ColumnMenu params={params} />
      <button
        type="button"
        className="button"
        disabled={busy}
        onClick={() => void during(printList(client, { filter, sortBy }))}
      >
        Print
      </button>
      <button
        type="button"
        className="button"
        disabled={busy}
        onClick={() => void during(save(client, count > 0 ? selected : { filter, sortBy }))}
      >
        {count > 0 ? 'Export selected' : 'Export all'} as CSV
      </button>
    </div>
  );
}
