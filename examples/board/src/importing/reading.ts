// How the server reads the columns of a file.

import type { ApolloClient } from '@apollo/client';

import { graphql } from '../gql';
import type { ImportColumnInput, ImportDateOrder } from '../gql/graphql';
import { isTarget, type Mapping, type Table, textsOf } from './rows';

/** How the rows of a file are read: what each column is, and what amounts are in that name no currency. */
export interface Reading {
  readonly columns: readonly ImportColumnInput[];
  readonly currency: string | null;
}

/** The dates of a file. */
export interface Dates {
  /** What comes first in the dates of each column, where the column says it. */
  readonly orders: readonly (ImportDateOrder | null)[];
  /** A date that can be two days. */
  readonly unclear: string | null;
  /** Whether anything comes first: without such dates, nothing is asked. */
  readonly example: string | null;
}

/** Cells that are sent at once, as many as the API takes. */
const MOST = 10_000;

const Columns = graphql(`
  query ImportColumns($columns: [ImportColumnTextsInput!]!) {
    importColumns(columns: $columns) {
      field
      dateOrder
      unclearDate
    }
  }
`);

const DATES = new Set(['dateApplied', 'offerDueDate', 'nextActionDate', 'closingDate']);

/** The fields that the columns' headers speak of. Many lists have ids of another kind, so those are looked at. */
export async function guess(client: ApolloClient, table: Table): Promise<Mapping> {
  const columns = table.columns.map((header, at) => ({
    header,
    texts: header.toLowerCase() === 'id' ? textsOf(table, at).slice(0, MOST) : [],
  }));
  const { data } = await client.query({ query: Columns, variables: { columns }, fetchPolicy: 'no-cache' });
  const fields = data?.importColumns?.map(({ field }) => field) ?? [];
  return table.columns.map((_, at) => {
    const field = fields[at] ?? '';
    return isTarget(field) ? field : '';
  });
}

/** What comes first in the dates of each column: one column is one question, so that all of it counts. */
export async function datesOf(client: ApolloClient, table: Table, mapping: Mapping): Promise<Dates> {
  const read = await Promise.all(
    mapping.map(async (field, at) => {
      if (!DATES.has(field)) return null;
      const columns = [{ header: table.columns[at] ?? '', field, texts: textsOf(table, at).slice(0, MOST) }];
      const { data } = await client.query({ query: Columns, variables: { columns }, fetchPolicy: 'no-cache' });
      return data?.importColumns?.[0] ?? null;
    }),
  );
  const unclear = read.flatMap((column) => column?.unclearDate ?? [])[0] ?? null;
  const decided = read.findIndex((column) => column?.dateOrder);
  return {
    orders: read.map((column) => column?.dateOrder ?? null),
    unclear,
    example: unclear ?? textsOf(table, decided).find((text) => /^\d{1,2}\D\d/u.test(text)) ?? null,
  };
}

/** The columns as the API takes them. */
export function readingOf(table: Table, mapping: Mapping, dates: Dates, chosen: ImportDateOrder | null, currency: string | null): Reading {
  return {
    currency,
    columns: mapping.map((field, at) => ({
      header: table.columns[at] ?? '',
      field,
      dateOrder: chosen ?? dates.orders[at] ?? null,
    })),
  };
}
