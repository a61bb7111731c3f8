// A made-up search of half a year, up to today: the same each day, with all its moments told from that day.

import { record } from '../e2e/records.mjs';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How many applications were sent in each week, the last of which is this one. */
const WEEKS = [1, 3, 2, 4, 5, 3, 6, 5, 7, 4, 6, 8, 5, 3, 6, 7, 9, 6, 4, 2, 5, 7, 6, 4, 5, 2];

const COMPANIES = [
  ['Northlight', 'ai'],
  ['Bright Harbor Health', 'health'],
  ['Cobalt Grid', 'energy'],
  ['Driftwood Games', 'gaming'],
  ['Evergreen Atlas', 'climate'],
  ['Fathom Analytics', 'enterprise-software'],
  ['Granite Bank', 'finance'],
  ['Hollow Oak', 'media-entertainment'],
  ['Ionwave', 'consumer-tech'],
  ['Juniper Lane', 'e-commerce'],
  ['Kestrel Security', 'cybersecurity'],
  ['Lantern Learning', 'education'],
  ['Meridian Transit', 'government'],
  ['Openfield', 'nonprofit'],
  ['Paper Crane', 'consumer-tech'],
  ['Quarry', 'enterprise-software'],
  ['Riverbend Clinic', 'health'],
  ['Saltbox', 'retail'],
  ['Tidewater Robotics', 'ai'],
  ['Umber & Co', 'consulting'],
  ['Vantage Rail', 'government'],
  ['Wren Payments', 'finance'],
  ['Yonder', 'hospitality'],
];

const POSITIONS = [
  ['Backend Engineer', 118],
  ['Platform Engineer', 132],
  ['Data Engineer', 124],
  ['Frontend Engineer', 112],
  ['Site Reliability Engineer', 138],
  ['Software Engineer', 108],
  ['Machine Learning Engineer', 152],
  ['Systems Engineer', 116],
  ['Full Stack Engineer', 114],
];

const STAGES = ['Recruiter call', 'Technical interview', 'System design', 'Onsite'];
const SOURCES = ['linkedin', 'company-website', 'recruiter', 'friend', 'linkedin', 'colleague'];

/** A number from 0 to 1 that looks like chance, and is the same each time. */
function chance(index, use) {
  let mixed = Math.imul(index + 1, 0x9e3779b1) ^ Math.imul(use + 1, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
}

/** Days from the first to the second, more of them short than long. */
function days(index, use, from, to) {
  return from + (to - from) * chance(index, use) ** 1.8;
}

function date(moment) {
  return moment.toISOString().slice(0, 10);
}

/** What an application begins with. */
function first(index) {
  const [companyName, companyCategory] = COMPANIES[index % COMPANIES.length];
  const [positionTitle, thousands] = POSITIONS[(index * 5 + Math.floor(index / 23)) % POSITIONS.length];
  const salaryMin = 1000 * (thousands + Math.round(10 * chance(index, 1)));
  return {
    status: 'unsubmitted',
    companyName,
    companyCategory,
    positionTitle,
    jobSource: SOURCES[index % SOURCES.length],
    jobPostingUrl: `https://${companyName.toLowerCase().replaceAll(/[^a-z]/gu, '')}.example/jobs/${4000 + index * 37}`,
    ...(index % 4 !== 1 && { salaryMin, salaryMax: salaryMin + 1000 * (18 + (index % 5) * 3) }),
    ...(index % 5 !== 2 && { skillsMatch: 2 + Math.round(3 * chance(index, 2)) }),
  };
}

/** The stages that are planned when interviews begin, and the days on which they take place. */
function interviews(index, begin, until) {
  const names = STAGES.slice(0, 2 + (index % 3));
  const step = (until - begin) / names.length;
  const changes = names.map((name, at) => ({
    at: new Date(begin.getTime() + step * (at + 0.6)),
    stages: [{ name, rating: 3 + ((index + at) % 3) }],
  }));
  for (const change of changes) change.stages[0].completed = date(change.at);
  return { planned: names.map((name) => ({ name })), changes };
}

/** Everything that happens to an application that is sent at this moment. */
function course(index, sent) {
  const after = (moment, wait) => new Date(moment.getTime() + wait * DAY_MS);
  const changes = [
    { ...first(index), at: after(sent, -days(index, 3, 0.1, 9)) },
    { at: sent, status: 'applied', dateApplied: date(sent) },
  ];
  const luck = chance(index, 4);
  if (luck < 0.4) {
    changes.push({ at: after(sent, days(index, 5, 2, 45)), status: 'rejected' });
  } else if (luck < 0.6) {
    // Never answered, and put away at last.
    changes.push({ at: after(sent, 56), isArchived: true });
  } else {
    const asked = after(sent, days(index, 6, 3, 26));
    const ended = after(asked, days(index, 7, 9, 48));
    const { planned, changes: held } = interviews(index, asked, ended);
    changes.push({ at: asked, status: 'interviewing', stages: planned }, ...held);
    const end = chance(index, 8);
    if (end < 0.62) {
      changes.push({ at: ended, status: end < 0.4 ? 'no offer' : 'rejected' });
    } else {
      const answer = days(index, 9, 3, 11);
      const offer = { at: ended, status: 'given offer', offerDueDate: date(after(ended, answer + 3)) };
      const taken = end > 0.9 ? 'accepted offer' : 'declined offer';
      changes.push(offer, { at: after(ended, answer), status: taken });
    }
  }
  return changes;
}

/** The application that the picture of a page shows. */
function shown(now) {
  const ago = (count) => new Date(now.getTime() - count * DAY_MS);
  const stage = (name, count, rating, notes) => ({
    at: ago(count),
    stages: [{ name, completed: date(ago(count)), rating, notes }],
  });
  return record('Aurelia Robotics', [
    {
      ...first(9),
      at: ago(47),
      companyName: 'Aurelia Robotics',
      companyCategory: 'ai',
      positionTitle: 'Controls Engineer',
      jobSource: 'friend',
      jobPostingUrl: 'https://aureliarobotics.example/jobs/controls-engineer',
      companyUrl: 'https://aureliarobotics.example/',
      salaryMin: 145000,
      salaryMax: 175000,
      skillsMatch: 5,
      coverLetterRequired: false,
    },
    { at: ago(45), status: 'applied', dateApplied: date(ago(45)) },
    { at: ago(38), status: 'interviewing', stages: [{ name: 'Recruiter call' }, { name: 'Technical interview' }] },
    stage('Recruiter call', 34, 4, null),
    {
      at: ago(33),
      notes: 'Talked to Kim, who leads motion planning: a small team that ships every week.\nAsk about the on-call rota.',
    },
    stage('Technical interview', 24, 5, 'A balancing robot in a simulator, then Kalman filters.'),
    { at: ago(23), stages: [{ name: 'Onsite' }] },
    stage('Onsite', 11, 4, null),
    {
      at: ago(5),
      status: 'given offer',
      offerDueDate: date(ago(-3)),
      salaryMin: 150000,
      salaryMax: 182000,
    },
    { at: ago(2), offerDueDate: date(ago(-7)) },
  ]);
}

/** All records of the search, as of `now`. */
export function search(now) {
  const monday = Math.floor((now.getTime() / DAY_MS - 4) / 7) * 7 + 4;
  const records = [shown(now)];
  let index = 0;
  const add = (changes) => {
    // What lies ahead has not happened yet.
    const past = changes.filter(({ at }) => at < now);
    records.push(record(`${changes[0].companyName} ${index}`, past));
    index += 1;
  };
  WEEKS.forEach((count, week) => {
    const begin = (monday - 7 * (WEEKS.length - 1 - week)) * DAY_MS;
    const room = Math.min(5 * DAY_MS, now.getTime() - begin);
    for (let nth = 0; nth < count; nth += 1) {
      add(course(index, new Date(begin + (room * (nth + 0.4)) / count)));
    }
  });
  for (let nth = 0; nth < 9; nth += 1) {
    add([{ ...first(index), at: new Date(now.getTime() - (nth * 1.3 + 0.2) * DAY_MS) }]);
  }
  return records;
}
