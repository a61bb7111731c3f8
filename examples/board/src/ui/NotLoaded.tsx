// Says what could not be loaded, and loads it again.

export function NotLoaded({
  what,
  reason,
  again,
  className,
}: {
  what: string;
  /** Why, after a colon. */
  reason: string;
  again: () => Promise<unknown>;
  className?: string;
}) {
  return (
    <p className={className} role="alert">
      {what} could not be loaded{reason}.{' '}
      <button type="button" className="link" onClick={() => void again().catch(() => {})}>
        Try again
      </button>
    </p>
  );
}
