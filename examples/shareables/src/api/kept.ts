// Puts what was last shown of a shareable into the cache, for a page that opens without a network.

import { useEffect, useState } from 'react';

import { client } from './client';
import { ShareableDoc } from './data';
import { readShown } from './shown';

/** Answers whether what is kept is in the cache, or something newer is. */
export function useKept(shortId: string): boolean {
  const [done, setDone] = useState(false);
  useEffect(() => {
    let left = false;
    const query = { query: ShareableDoc, variables: { shortId } };
    const read = client.readQuery(query) ? Promise.resolve(undefined) : readShown(shortId);
    read
      .then((data) => {
        if (data && !left) client.writeQuery({ ...query, data });
      })
      .catch(() => {})
      .finally(() => {
        if (!left) setDone(true);
      });
    return () => {
      left = true;
    };
  }, [shortId]);
  return done;
}
