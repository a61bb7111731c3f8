import type { Fetcher } from '@graphiql/toolkit';

/**
 * Sends one operation to `endpoint`. The first media type carries a failed request as JSON with a
 * 4xx status, so every status is read alike; what is not JSON is shown as it came.
 */
export function fetcherFor(endpoint: string): Fetcher {
  return async (operation, options) => {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        accept: 'application/graphql-response+json, application/json;q=0.9',
        'content-type': 'application/json',
        ...options?.headers,
      },
      body: JSON.stringify(operation),
    });
    const text = await response.text();
    try {
      return JSON.parse(text);
    } catch {
      return { errors: [{ message: `HTTP ${response.status}: ${text}` }] };
    }
  };
}
