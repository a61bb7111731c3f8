// Says that there are applications of the example, and removes them.

import { useFragment } from '@apollo/client/react';
import { idOf } from 'trestle-web-kit/api/ids';

import { useHidden } from '../api/pending';
import { graphql } from '../gql';
import { useBulk } from '../table/bulk';

/** The same in each browser: whoever sees one of them can remove all. */
export const EXAMPLE_IDS: readonly string[] = Array.from({ length: 7 }, (_, at) => idOf(`example application ${at}`));

const OfExample = graphql(`
  fragment OfExample on Application {
    id
  }
`);

export function ExampleBar() {
  const bulk = useBulk();
  const hidden = useHidden();
  const found = EXAMPLE_IDS.map((id) => useFragment({ fragment: OfExample, from: { __typename: 'Application', id } }).complete && !hidden.has(id));
  if (!found.includes(true)) return null;
  return (
    <p className="banner writes">
      These applications are an example.
      <button type="button" className="link" onClick={() => void bulk.remove(EXAMPLE_IDS)}>
        Remove the example
      </button>
    </p>
  );
}
