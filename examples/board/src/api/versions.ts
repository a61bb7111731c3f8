// Which versions of applications this page made, so that a change carries the version of what its author saw: what they changed
// themselves since is no change of somebody else.

/** The versions that changes of this page made, by the versions that they were made on. */
const made = new Map<string, Map<number, number>>();

/** Notes that a change of this page made one version of another one. */
export function noteMade(application: string, from: number, to: number): void {
  if (to <= from) return;
  const steps = made.get(application) ?? new Map<number, number>();
  steps.set(from, to);
  made.set(application, steps);
}

/** The version that the person saw, with what they changed themselves since. */
export function withOwn(application: string, version: number): number {
  const steps = made.get(application);
  let newest = version;
  for (let next = steps?.get(newest); next !== undefined; next = steps?.get(newest)) newest = next;
  return newest;
}
