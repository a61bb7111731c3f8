// A message about a finding: code is set as code, and one port is one port.

/** With a range of ports that has one written as one. */
function worded(text: string): string {
  return text.replace(/\bports (\d+) to \1\b/gu, 'port $1');
}

export function Message({ text }: { text: string }) {
  // What stands between two backticks is every other part.
  const parts = worded(text).split('`');
  return (
    <>
      {parts.map((part, at) => (at % 2 === 1 && at < parts.length - 1 ? <code key={at}>{part}</code> : part))}
    </>
  );
}
