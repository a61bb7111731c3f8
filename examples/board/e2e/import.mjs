// Import of a file: the preview shows what will happen, the report what did, and a second time nothing happens. A large one
// goes on while its dialog is closed, can be cancelled and continued, and what was refused can be saved.

import assert from 'node:assert/strict';
import { card, column, create, send, withBoard } from './harness.mjs';

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

/** The rows of a large import; another number measures another one. */
const ROWS = Number(process.env.TRESTLE_IMPORT_ROWS ?? 499);

/** What other trackers save, in their own words. */
const TRACKERS = `Job Position,Hiring Company,List,Applied At,Job Listing,City,Work Mode,Labels,Currency,Salary,Pay Period,Job Description
Data Engineer,Huntr & Co,I Withdrew,"November 3, 2026",huntr.example/1,Zürich,Remote,"rust; first choice",CHF,120000,yearly,Build things.
Analyst,Teal GmbH,Bookmarked,,teal.example/2,Berlin,On-site,,EUR,"£400 a day",,
Designer,Simplify,Negotiating,2 Nov 2026 9:00 AM,simplify.example/3,,hybrid,,,,,
`;

async function others(page, dialog) {
  await page.getByRole('link', { name: 'Import' }).click();
  await dialog.getByLabel('CSV file').setInputFiles({ name: 'huntr.csv', mimeType: 'text/csv', buffer: Buffer.from(TRACKERS) });
  await dialog.getByText('3 new, 0 there already, 0 twice in the file, 0 cannot be read, 2 cells left out').waitFor();
  await dialog.getByText('“£400 a day” is not in EUR: kept in the notes.').waitFor();
  await dialog.getByText('“hybrid” is neither remote nor on site.').waitFor();
  await dialog.getByRole('button', { name: 'Import 3' }).click();
  await dialog.getByText('3 imported, 0 refused').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  const fields = 'companyName status dateApplied location isRemote tags salaryMin salaryCurrency salaryPeriod postingText';
  const { applications } = await send(`{ applications(first: 3) { edges { node { ${fields} } } } }`);
  const rows = applications.edges.map(({ node }) => node).toSorted((one, other) => (one.companyName < other.companyName ? -1 : 1));
  const nothing = { dateApplied: null, location: null, isRemote: null, tags: null, salaryMin: null, salaryCurrency: null, salaryPeriod: null, postingText: null };
  assert.deepEqual(rows, [
    {
      companyName: 'Huntr & Co', status: 'DECLINED_OFFER', dateApplied: '2026-11-03', location: 'Zürich', isRemote: true,
      tags: ['rust', 'first choice'], salaryMin: 120_000, salaryCurrency: 'CHF', salaryPeriod: 'YEAR', postingText: 'Build things.',
    },
    { ...nothing, companyName: 'Simplify', status: 'GIVEN_OFFER', dateApplied: '2026-11-02' },
    { ...nothing, companyName: 'Teal GmbH', status: 'UNSUBMITTED', location: 'Berlin', isRemote: false, salaryCurrency: 'EUR' },
  ]);
}

await withBoard(async (open) => {
  const page = await open('#/import');
  const dialog = page.getByRole('dialog', { name: 'Import applications' });
  const file = { name: 'jobs.csv', mimeType: 'text/csv', buffer: Buffer.from(FILE) };
  await dialog.getByLabel('CSV file').setInputFiles(file);
  await dialog.getByText('4 new, 0 there already, 1 twice in the file, 1 cannot be read, 2 cells left out').waitFor();
  // One bad cell is left out, and not its row.
  await dialog.getByText('New. “promoted” is not a status.').waitFor();
  await dialog.getByRole('button', { name: 'Import 4' }).click();
  await dialog.getByText('4 imported, 0 refused').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await card(column(page, 'Applied'), 'Acme, Inc.').waitFor();
  await card(column(page, 'Interviewing'), 'Borel').waitFor();

  const { applications } = await send(
    '{ applications { edges { node { companyName positionTitle status dateApplied jobPostingUrl salaryMin } } } }',
  );
  assert.equal(applications.edges.length, 4);
  // A date that is not understood is not today, and says that the application was sent.
  const darwin = applications.edges.map(({ node }) => node).find(({ companyName }) => companyName === 'Darwin');
  assert.deepEqual([darwin.status, darwin.dateApplied], ['APPLIED', null]);
  for (const { node } of applications.edges) delete node.status;
  const rows = applications.edges.map(({ node }) => node).filter(({ dateApplied, companyName }) => dateApplied && companyName !== 'Curie');
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
  await dialog.getByText('0 new, 4 there already').waitFor();
  // On another day, too, and of a row that says something else it is said what.
  await dialog.getByRole('button', { name: 'Another file' }).click();
  const edited = FILE.replace('Engineer,applied', 'Engineer,interviewing');
  await dialog.getByLabel('CSV file').setInputFiles({ ...file, buffer: Buffer.from(edited) });
  await dialog.getByText('0 new, 1 changed, 3 there already').waitFor();
  await dialog.getByText('There, with another Status').waitFor();
  assert(await dialog.getByRole('button', { name: 'Import 0' }).isDisabled());

  // Amounts are stored in the currency that they name, and those that name none in that of the file.
  await dialog.getByRole('button', { name: 'Another file' }).click();
  await dialog.getByLabel('CSV file').setInputFiles({
    name: 'pay.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('Company,Position,Salary,Notes\nPound,Dev,£70k,Ask Kim\nRupee,Dev,12 LPA,\nDollar,Dev,$90k - $110k,\nPlain,Dev,80k,\nHour,Dev,€60 per hour,\n'),
  });
  await dialog.getByLabel('Amounts are in').selectOption('GBP');
  await dialog.getByText('5 new, 0 there already, 0 twice in the file, 0 cannot be read, 1 cell left out').waitFor();
  await dialog.getByText('New. “12 LPA” is not a whole amount: kept in the notes.').waitFor();
  await dialog.getByRole('button', { name: 'Import 5' }).click();
  await dialog.getByText('5 imported, 0 refused').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  const paid = await send('{ applications(filter: { text: "dev" }) { edges { node { companyName salaryMin salaryMax salaryCurrency salaryPeriod notes } } } }');
  assert.deepEqual(
    Object.fromEntries(paid.applications.edges.map(({ node: { companyName, ...rest } }) => [companyName, rest])),
    {
      Pound: { salaryMin: 70_000, salaryMax: null, salaryCurrency: 'GBP', salaryPeriod: null, notes: 'Ask Kim' },
      Rupee: { salaryMin: null, salaryMax: null, salaryCurrency: null, salaryPeriod: null, notes: 'Salary from: 12 LPA' },
      Dollar: { salaryMin: 90_000, salaryMax: 110_000, salaryCurrency: 'USD', salaryPeriod: null, notes: null },
      Plain: { salaryMin: 80_000, salaryMax: null, salaryCurrency: 'GBP', salaryPeriod: null, notes: null },
      Hour: { salaryMin: 60, salaryMax: null, salaryCurrency: 'EUR', salaryPeriod: 'HOUR', notes: null },
    },
  );
  await others(page, dialog);
  await page.getByRole('link', { name: 'Import' }).click();
  await dialog.getByLabel('CSV file').waitFor();

  // As a spreadsheet of another country saves it: semicolons, no UTF-8, dates of its own, a blank line, and
  // headers that nobody knows.
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
  await dialog.getByText('3 new, 0 there already, 0 twice in the file, 0 cannot be read, 1 cell left out').waitFor();
  // The line is the file's own.
  await dialog.getByRole('row', { name: /^6 New. “soon” is not a date/u }).waitFor();
  // A press beside the dialog loses nothing.
  await page.mouse.click(5, 5);
  await dialog.getByRole('button', { name: 'Import 3' }).click();
  await dialog.getByText('3 imported, 0 refused').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await card(column(page, 'Interviewing'), 'Zürich').getByText('Feb 1').waitFor();

  await page.getByRole('link', { name: 'Import' }).click();
  await dialog.getByLabel('CSV file').setInputFiles({
    name: 'quote.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('Company,Position\nAcme,Dev\n"Borel,Dev\nCurie,Dev\n'),
  });
  await dialog.getByText('The quotation mark in line 3 has no other').waitFor();
  await page.keyboard.press('Escape');

  // Cancelled while it runs, and continued.
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Import' }).click();
  const many = Array.from({ length: ROWS }, (_, index) => `Company ${index},Engineer,applied,2026-10-05,${index === 7 ? 'x'.repeat(5001) : ''}`);
  await dialog.getByLabel('CSV file').setInputFiles({
    name: 'many.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(['Company,Position,Status,Applied,Notes', ...many].join('\n')),
  });
  await dialog.getByRole('button', { name: `Import ${ROWS.toLocaleString('en')}` }).click();
  const began = Date.now();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.getByRole('button', { name: /^Continue with / }).click();
  // Closed, it goes on, and the board can be used.
  await dialog.getByRole('button', { name: 'Go on with other things' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('searchbox').fill('acme');
  await card(page, 'Acme, Inc.').waitFor();
  await page.getByRole('link', { name: /imported/u }).waitFor();
  console.log(`${ROWS} rows in ${Date.now() - began} ms`);
  await page.getByRole('searchbox').fill('');
  const { applicationStats } = await send('{ applicationStats { active } }');
  // The one with notes that are too long is there without them.
  assert.equal(applicationStats.active, ROWS + 7 + 5 + 3);

  // The changes of others are not followed meanwhile, and are again now.
  await create({ companyName: 'Erdős', status: 'INTERVIEWING' });
  await card(column(page, 'Interviewing'), 'Erdős').waitFor();
});
