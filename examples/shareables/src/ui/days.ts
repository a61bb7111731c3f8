// Days as people list them, each as it is written in ISO 8601: "10.7.2027" and "7/10" mean different days to different people.

/** Parts of a list of days: what is between commas, or beside a day. */
function parts(text: string): { readonly days: string[]; readonly others: string[] } {
  const days: string[] = [];
  const others: string[] = [];
  for (const part of text.split(/[,;\n]+/u)) {
    const words = part.split(/\s+/u).filter((word) => word !== '');
    days.push(...words.filter(isDay));
    const rest = words.filter((word) => !isDay(word)).join(' ');
    if (rest) others.push(rest);
  }
  return { days, others };
}

/** The days of a list. */
export function daysIn(text: string): string[] {
  return parts(text).days;
}

/** What of a list of days is none. */
export function notDays(text: string): string[] {
  return parts(text).others;
}

/** Whether it is a day of the calendar. */
function isDay(word: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/u.test(word)) return false;
  const at = new Date(`${word}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(word);
}
