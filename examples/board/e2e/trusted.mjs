// A server that runs the board's documents and no others: the board sends their names, over HTTP and
// over its WebSocket, and all of it works.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { card, column, drag, endpoint, saved, withBoard } from './harness.mjs';

const documents = JSON.parse(
  await readFile(`${process.env.TRESTLE_PAGES_FOLDER}/board/persisted-documents.json`, 'utf8'),
);

/** Names of operations that were asked for. */
const asked = new Set();

/** A browser whose every request was looked at. */
async function watched(open, path) {
  const page = await open(path);
  page.on('request', (request) => {
    if (new URL(request.url()).pathname !== '/graphql') return;
    const { operationName, query, extensions } = request.postDataJSON();
    assert.equal(query, undefined, `${operationName} was sent whole`);
    assert(extensions.persistedQuery.sha256Hash in documents);
    asked.add(operationName);
  });
  page.on('websocket', (socket) => {
    socket.on('framereceived', ({ payload }) => {
      assert.notEqual(JSON.parse(payload).type, 'error', payload);
    });
    socket.on('framesent', ({ payload }) => {
      const { type, payload: wanted } = JSON.parse(payload);
      if (type === 'subscribe') assert(wanted.documentId in documents, payload);
    });
  });
  await page.reload();
  return page;
}

await withBoard(async (open) => {
  const foreign = await fetch(endpoint(), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ __typename }' }),
  });
  assert.equal((await foreign.json()).errors[0].extensions.code, 'FORBIDDEN');

  const one = await watched(open, '#/add/APPLIED');
  const other = await watched(open, '#/');
  await other.getByRole('link', { name: 'Add the first one' }).waitFor();
  const dialog = one.getByRole('dialog', { name: 'Add an application' });
  await dialog.getByLabel('Company').fill('Acme');
  await dialog.getByLabel('Position').fill('Engineer');
  await dialog.getByRole('button', { name: 'Add' }).click();
  for (const page of [one, other]) await card(column(page, 'Applied'), 'Acme').waitFor();

  await saved(one, 'MoveApplication', () =>
    drag(one, card(one, 'Acme'), column(one, 'Interviewing')),
  );
  await card(column(other, 'Interviewing'), 'Acme').waitFor();

  await card(other, 'Acme').getByRole('link', { name: 'Acme' }).click();
  const sheet = other.getByRole('dialog', { name: 'Acme, Engineer' });
  await sheet.getByRole('combobox', { name: 'New stage' }).fill('Onsite');
  await saved(other, 'AddStage', () => other.keyboard.press('Enter'));
  await sheet.getByRole('checkbox', { name: 'Onsite completed' }).click();
  await sheet.getByRole('checkbox', { name: 'Onsite completed', checked: true }).waitFor();
  await card(one, 'Acme').getByRole('img', { name: '1 of 1 interview stages done' }).waitFor();
  await one.getByRole('link', { name: 'Insight' }).click();
  await one.getByRole('heading', { name: 'Time in each status' }).waitFor();

  for (const name of ['Column', 'Totals', 'QuickAdd', 'MoveApplication', 'Detail', 'CompleteStage']) {
    assert(asked.has(name), `${name} was not asked for`);
  }
});
