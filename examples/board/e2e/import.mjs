// Import of a file: the preview says what will happen, the report what did, and a second time
// nothing happens.

import assert from 'node:assert/strict';
import { card, column, send, withBoard } from './harness.mjs';

const FILE = `Company,Job Title,Status,Date Applied,Link,Salary
"Acme, Inc.",Engineer,applied,2026-10-05,acme.example/jobs/1,"$120,000"
Borel,"Writer of ""quoted"" words",interviewing,2026-10-12,https://borel.example/2,
Borel,"Writer of ""quoted"" words",interviewing,2026-10-12,https://borel.example/2,
Curie,Chemist,promoted,2026-10-12,,
,Nobody's,applied,,,
Darwin,Naturalist,,yesterday,,
`;

const OLD = `Firma;Rolle;Status;Am
Zürich;"Auf
zwei Zeilen";Phone screen;01/02/2026

Brüssel;Ingenieur;sent;20.11.2026
Genf;Ingenieur;sent;soon
`;

await withBoard(async (open) => {
  const page = await open('#/import');
  const dialog = page.getByRole('dialog', { name: 'Import applications' });
  const file = { name: 'jobs.csv', mimeType: 'text/csv', buffer: Buffer.from(FILE) };
  await dialog.getByLabel('CSV file').setInputFiles(file);
  await dialog.getByText('2 new, 0 there already, 1 twice in the file, 3 cannot be read').waitFor();
  await dialog.getByText('“promoted” is no status.').waitFor();
  await dialog.getByRole('button', { name: 'Import 2' }).click();
  await dialog.getByText('2 imported, 0 refused, 3 could not be read').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await card(column(page, 'Applied'), 'Acme, Inc.').waitFor();
  await card(column(page, 'Interviewing'), 'Borel').waitFor();

  const { applications } = await send(
    '{ applications { edges { node { companyName positionTitle dateApplied jobPostingUrl salaryMin } } } }',
  );
  const rows = applications.edges.map(({ node }) => node);
  assert.deepEqual(
    rows.toSorted((a, b) => (a.companyName < b.companyName ? -1 : 1)),
    [
      {
        companyName: 'Acme, Inc.',
        positionTitle: 'Engineer',
        dateApplied: '2026-10-05',
        jobPostingUrl: 'https://acme.example/jobs/1',
        salaryMin: 120000,
      },
      {
        companyName: 'Borel',
        positionTitle: 'Writer of "quoted" words',
        dateApplied: '2026-10-12',
        jobPostingUrl: 'https://borel.example/2',
        salaryMin: null,
      },
    ],
  );

  await page.getByRole('link', { name: 'Import' }).click();
  await dialog.getByLabel('CSV file').setInputFiles(file);
  await dialog.getByText('0 new, 2 there already').waitFor();
  assert(await dialog.getByRole('button', { name: 'Import 0' }).isDisabled());

  // As a spreadsheet of another country saves it: semicolons, no UTF-8, dates of its own, a blank line, and
  // headers that nobody knows.
  await dialog.getByRole('button', { name: 'Another file' }).click();
  await dialog.getByLabel('CSV file').setInputFiles({
    name: 'old.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(OLD, 'latin1'),
  });
  await dialog.getByText('Choose below which column is the company').waitFor();
  await dialog.getByLabel('Column Firma is').selectOption('Company');
  await dialog.getByLabel('Column Rolle is').selectOption('Position');
  await dialog.getByLabel('Column Am is').selectOption('Applied on');
  await dialog.getByText('“01/02/2026” can be two days.').waitFor();
  await dialog.getByLabel('In dates such as 01/02/2026').selectOption('the day comes first');
  await dialog.getByText('2 new, 0 there already, 0 twice in the file, 1 cannot be read').waitFor();
  // The line is the file's own.
  await dialog.getByRole('row', { name: /^6 “soon” is no date/u }).waitFor();
  // Beside the dialog is no place to lose all this.
  await page.mouse.click(5, 5);
  await dialog.getByRole('button', { name: 'Import 2' }).click();
  await dialog.getByText('2 imported, 0 refused, 1 could not be read').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await card(column(page, 'Interviewing'), 'Zürich').getByText('Feb 1').waitFor();

  await page.getByRole('link', { name: 'Import' }).click();
  await dialog.getByLabel('CSV file').setInputFiles({
    name: 'quote.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('Company,Position\nAcme,Dev\n"Borel,Dev\nCurie,Dev\n'),
  });
  await dialog.getByText('The quotation mark in line 3 has no other').waitFor();
});
