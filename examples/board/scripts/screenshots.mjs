// The pictures of the README: rows of a made-up search, then the board, an application and the insight.
//
//   trestle serve --memory --trusted-documents dist/persisted-documents.json
//   node scripts/screenshots.mjs http://127.0.0.1:8000/graphql
//
// The rows keep the moments at which they are made, so times in status stay short here.

import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { card, create, send, withBoard } from '../e2e/harness.mjs';

const TARGET = fileURLToPath(new URL('../../../docs/screenshots/', import.meta.url));
const DAY_MS = 86_400_000;

const COMPANIES = [
  ['Aurelia Robotics', 'Controls Engineer', 'AI', 145000, 175000],
  ['Bright Harbor Health', 'Backend Engineer', 'HEALTH', 120000, 140000],
  ['Cobalt Grid', 'Energy Data Engineer', 'ENERGY', 115000, 138000],
  ['Driftwood Games', 'Gameplay Programmer', 'GAMING', 98000, 120000],
  ['Evergreen Atlas', 'Geospatial Engineer', 'CLIMATE', 125000, 150000],
  ['Fathom Analytics', 'Data Platform Engineer', 'ENTERPRISE_SOFTWARE', 135000, 160000],
  ['Granite Bank', 'Software Engineer, Payments', 'FINANCE', 130000, 165000],
  ['Hollow Oak', 'Frontend Engineer', 'MEDIA_ENTERTAINMENT', 105000, 128000],
  ['Ionwave', 'Firmware Engineer', 'CONSUMER_TECH', 118000, 142000],
  ['Juniper Lane', 'Full Stack Engineer', 'E_COMMERCE', 112000, 134000],
  ['Kestrel Security', 'Detection Engineer', 'CYBERSECURITY', 140000, 170000],
  ['Lantern Learning', 'Product Engineer', 'EDUCATION', 102000, 125000],
  ['Meridian Transit', 'Systems Engineer', 'GOVERNMENT', 96000, 118000],
  ['Northlight', 'Machine Learning Engineer', 'AI', 155000, 190000],
  ['Openfield', 'Developer Advocate', 'ENTERPRISE_SOFTWARE', 110000, 135000],
  ['Paper Crane', 'iOS Engineer', 'CONSUMER_TECH', 122000, 148000],
  ['Quarry', 'Site Reliability Engineer', 'ENTERPRISE_SOFTWARE', 138000, 168000],
  ['Riverbend Clinic', 'Integration Engineer', 'HEALTH', 104000, 126000],
];
const PATHS = [
  ['APPLIED', 'INTERVIEWING', 'GIVEN_OFFER'],
  ['APPLIED', 'INTERVIEWING'],
  ['APPLIED'],
  ['APPLIED', 'REJECTED'],
  ['APPLIED'],
  ['APPLIED', 'INTERVIEWING'],
  ['UNSUBMITTED'],
  ['APPLIED'],
  ['APPLIED', 'INTERVIEWING', 'NO_OFFER'],
  ['APPLIED', 'REJECTED'],
  ['UNSUBMITTED'],
  ['APPLIED', 'INTERVIEWING', 'GIVEN_OFFER', 'ACCEPTED_OFFER'],
];
const STAGES = ['Recruiter call', 'Technical interview', 'System design', 'Onsite'];
const ROUNDS = 7;

function date(daysAgo) {
  return new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
}

async function change(mutation, input) {
  const type = `${mutation[0].toUpperCase()}${mutation.slice(1)}Input`;
  const data = await send(
    `mutation Change($input: ${type}!) { ${mutation}(input: $input) { application { id interviewStages { id name } } userErrors { message } } }`,
    { input },
  );
  const { application, userErrors } = data[mutation];
  if (userErrors.length > 0) throw new Error(JSON.stringify(userErrors));
  return application;
}

/** Makes one application and leads it along its path. */
async function lead(index) {
  const [companyName, positionTitle, companyCategory, salaryMin, salaryMax] =
    COMPANIES[index % COMPANIES.length];
  const [first, ...rest] = PATHS[(index * 5 + Math.floor(index / 12)) % PATHS.length];
  // More in the middle of the search than at its ends.
  const daysAgo = Math.round(52 + 48 * Math.sin(index * 2.4) * Math.cos(index / 9));
  const round = Math.floor(index / COMPANIES.length);
  const id = await create({
    companyName,
    positionTitle: round === 0 ? positionTitle : `${['Senior', 'Staff', 'Junior', 'Lead', 'Associate', 'Principal'][round - 1]} ${positionTitle}`,
    companyCategory,
    status: first,
    ...(first !== 'UNSUBMITTED' && { dateApplied: date(daysAgo) }),
    ...(index % 3 !== 1 && { salaryMin, salaryMax }),
    ...(index % 4 !== 2 && { skillsMatch: 2 + ((index * 7) % 4) }),
    jobSource: ['LINKEDIN', 'RECRUITER', 'COMPANY_WEBSITE', 'FRIEND'][index % 4],
    jobPostingUrl: `https://${companyName.toLowerCase().replaceAll(/[^a-z]/gu, '')}.example/jobs/${index}`,
  });
  for (const status of rest) {
    await change('updateApplication', {
      id,
      status,
      ...(status === 'GIVEN_OFFER' && { offerDueDate: date(-5 - (index % 9)) }),
    });
    if (status !== 'INTERVIEWING') continue;
    const count = 2 + (index % 3);
    let application;
    for (const name of STAGES.slice(0, count)) {
      application = await change('addInterviewStage', { applicationId: id, name });
    }
    for (const stage of application.interviewStages.slice(0, 1 + (index % 2))) {
      await change('completeInterviewStage', { id: stage.id, performanceRating: 3 + (index % 3) });
    }
  }
  return id;
}

for (let index = COMPANIES.length; index < COMPANIES.length * ROUNDS; index += 1) await lead(index);
const ids = [];
for (let index = 0; index < COMPANIES.length; index += 1) ids.push(await lead(index));
const [shown] = ids;
await change('updateApplication', {
  id: shown,
  notes: 'Talked to Kim, who leads the motion planning group. Small team, ships every week.\nAsk about the on-call rota.',
  companyUrl: 'https://aureliarobotics.example/',
});
await change('updateApplication', { id: shown, salaryMin: 150000, salaryMax: 182000 });

await mkdir(TARGET, { recursive: true });
await withBoard(async (open) => {
  for (const colorScheme of ['light', 'dark']) {
    const page = await open('#/', {
      colorScheme,
      viewport: { width: 1280, height: 760 },
      reducedMotion: 'reduce',
    });
    const shot = async (name) => {
      await page.evaluate(() => document.fonts.ready);
      await page.screenshot({ path: `${TARGET}${name}-${colorScheme}.png` });
    };
    await card(page, 'Aurelia Robotics').first().waitFor();
    await page.getByText('126 active').waitFor();
    await shot('board');
    if (colorScheme === 'dark') continue;
    await page.evaluate((hash) => (location.hash = hash), `#/applications/${shown}`);
    await page.getByText('Show older changes').or(page.getByText('Application created')).waitFor();
    await shot('detail');
    await page.evaluate(() => (location.hash = '#/insight'));
    await page.getByText(/sent in \d+ weeks/u).waitFor();
    await page.getByText(/^Median/u).waitFor();
    await shot('insight');
  }
  const phone = await open('#/', { colorScheme: 'light', viewport: { width: 390, height: 780 } });
  await phone.getByRole('button', { name: 'Offer', exact: true }).click();
  await card(phone, 'Aurelia Robotics').first().waitFor();
  await phone.getByText('126 active').waitFor();
  await phone.screenshot({ path: `${TARGET}phone-light.png` });
});
