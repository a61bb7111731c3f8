// The frame of one picture.

import { useId } from 'react';

export function Panel({
  title,
  says,
  className,
  children,
}: {
  title: string;
  /** What is counted, in a sentence. */
  says: string;
  className: string;
  children?: React.ReactNode;
}) {
  const id = useId();
  return (
    <section className={`panel ${className}`} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p className="quiet">{says}</p>
      {children}
    </section>
  );
}
