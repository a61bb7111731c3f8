// Dates as calendars read them (RFC 5545).

/** An entry of a calendar: of a moment, or of a whole day. */
export interface CalendarEntry {
  readonly id: string;
  readonly title: string;
  readonly url: string;
  /** `2026-11-20`, or a moment with an offset. */
  readonly at: string;
}

/** How long an entry of a moment takes, in milliseconds: nobody notes the end of an interview. */
const HOUR_MS = 3_600_000;

export function ics(entries: readonly CalendarEntry[]): string {
  const lines = entries.flatMap(({ id, title, url, at }) => [
    'BEGIN:VEVENT',
    `UID:${id}@trestle-board`,
    `DTSTAMP:${stamp(new Date())}`,
    ...(at.length === 10
      ? [`DTSTART;VALUE=DATE:${at.replaceAll('-', '')}`]
      : [`DTSTART:${stamp(new Date(at))}`, `DTEND:${stamp(new Date(new Date(at).getTime() + HOUR_MS))}`]),
    `SUMMARY:${escaped(title)}`,
    `URL:${url}`,
    'END:VEVENT',
  ]);
  const all = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Trestle//Board//EN', ...lines, 'END:VCALENDAR'];
  return all.map((line) => `${folded(line)}\r\n`).join('');
}

function stamp(time: Date): string {
  return time.toISOString().replace(/[-:]|\.\d+/gu, '');
}

function escaped(text: string): string {
  return text.replace(/[\\;,]/gu, '\\$&').replace(/\r?\n/gu, '\\n');
}

/** Lines are at most 75 bytes long; a continued one begins with a space. */
function folded(line: string): string {
  const parts = [''];
  let bytes = 0;
  for (const letter of line) {
    const size = new TextEncoder().encode(letter).length;
    if (bytes + size > 74) {
      parts.push('');
      bytes = 0;
    }
    parts[parts.length - 1] += letter;
    bytes += size;
  }
  return parts.join('\r\n ');
}
