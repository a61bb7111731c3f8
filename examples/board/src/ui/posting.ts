// What the address of a posting says by itself: the page may ask no other server.

import type { JobSource } from '../gql/graphql';

/** What is likely; only what the address says. */
export interface Guess {
  readonly company?: string;
  readonly position?: string;
  readonly source?: JobSource;
}

/** Sites where companies have their postings below a name of their own: `jobs.lever.co/acme/…`. */
const BY_PATH = /^(?:jobs\.(?:eu\.)?lever\.co|(?:job-)?boards\.(?:eu\.)?greenhouse\.io|jobs\.ashbyhq\.com|apply\.workable\.com|jobs\.smartrecruiters\.com|careers\.smartrecruiters\.com|ats\.rippling\.com|jobs\.jobvite\.com)$/u;
/** The same with a host of their own: `acme.recruitee.com`. */
const BY_HOST = /^([a-z\d-]+)\.(?:wd\d+\.)?(?:myworkdayjobs\.com|recruitee\.com|bamboohr\.com|breezy\.hr|teamtailor\.com|personio\.(?:de|com)|jobs\.personio\.(?:de|com)|applytojob\.com|workable\.com|icims\.com|pinpointhq\.com)$/u;
/** Sites with the postings of everybody, which say nothing of the company. */
const BOARDS = /(?:^|\.)(?:linkedin|indeed|glassdoor|monster|stepstone|xing|ziprecruiter|wellfound|angel|dice|simplyhired|google|otta|welcometothejungle|builtin|ycombinator|reed|totaljobs|seek|naukri|jobteaser)\./u;
/** Parts of a host that are no company's name. */
const PLAIN = new Set(['www', 'jobs', 'job', 'careers', 'career', 'karriere', 'work', 'apply', 'join', 'co', 'com', 'org', 'net', 'ac']);
/** Parts of a path that are no position. */
const WORDS = /^(?:jobs?|careers?|positions?|openings?|vacanc(?:y|ies)|view|apply|details?|stellen?|[a-z]{2}(?:-[a-z]{2})?|external|en-us)$/iu;

export function guessOf(text: string): Guess {
  const url = URL.parse(text);
  if (!url || !/^https?:$/u.test(url.protocol)) return {};
  const host = url.hostname.toLowerCase();
  const parts = url.pathname.split('/').filter(Boolean).map(decoded);
  const source: JobSource | undefined = /(?:^|\.)linkedin\.com$/u.test(host)
    ? 'LINKEDIN'
    : /(?:^|\.)indeed\./u.test(host)
      ? 'INDEED'
      : undefined;
  if (source || BOARDS.test(host)) {
    // `linkedin.com/jobs/view/senior-engineer-at-acme-1234567`
    const [, title, company] = /^(.+)-at-(.+?)(?:-\d{5,})?$/u.exec(parts.at(-1) ?? '') ?? [];
    return { ...(company && { company: named(company) }), ...(title && { position: named(title) }), ...(source && { source }) };
  }
  const [own] = BY_PATH.test(host) ? parts : [BY_HOST.exec(host)?.[1]];
  const company = own ?? host.split('.').slice(0, -1).toReversed().find((part) => part.length > 1 && !PLAIN.has(part));
  const rest = BY_PATH.test(host) ? parts.slice(1) : parts;
  const slug = rest.findLast((part) => !WORDS.test(part) && /^(?=.*[a-z]{3,})[\p{L}\d_-]+$/iu.test(part) && /[-_]/u.test(part) && !UUID.test(part));
  const position = slug && named(slug.replace(/^\d{3,}-|[-_](?:[a-z]{0,3}\d{3,}[a-z\d]*|r-?\d+)$/giu, ''));
  return { ...(company && { company: named(company) }), ...(position && { position }), source: 'COMPANY_WEBSITE' };
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-/iu;
/** Words of a title that are written small. */
const SMALL = new Set(['of', 'and', 'for', 'in', 'the', 'at', 'to']);
/** Words that are written in capitals. */
const CAPITALS = new Set(['ai', 'ml', 'qa', 'ui', 'ux', 'it', 'hr', 'sre', 'ios', 'api', 'sap', 'vp', 'cto', 'ceo', 'cfo', 'ii', 'iii']);

/** `senior-data-engineer` as `Senior Data Engineer`. */
function named(slug: string): string {
  const words = slug.split(/[-_\s]+/u).filter(Boolean);
  const word = (text: string, at: number) => {
    const small = text.toLowerCase();
    if (small === 'ios') return 'iOS';
    if (CAPITALS.has(small)) return small.toUpperCase();
    if (at > 0 && SMALL.has(small)) return small;
    return text === small ? small.slice(0, 1).toUpperCase() + small.slice(1) : text;
  };
  return words.map(word).join(' ').slice(0, 200);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
