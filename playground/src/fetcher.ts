import type { Fetcher, FetcherParams } from '@graphiql/toolkit';
import { type ExecutionResult, getOperationAST } from 'graphql';

type Headers = Record<string, string>;

/** Sends operations to `endpoint`: subscriptions as streams of events, others with one answer each. */
export function fetcherFor(endpoint: string): Fetcher {
  return (operation, options) => {
    const document = options?.documentAST;
    const headers: Headers = { 'content-type': 'application/json', ...options?.headers };
    return document && getOperationAST(document, operation.operationName)?.operation === 'subscription'
      ? subscribe(endpoint, operation, headers)
      : ask(endpoint, operation, headers);
  };
}

/**
 * Sends one operation. The first media type carries a failed request as JSON with a 4xx status, so every status is read
 * alike; what is not JSON is shown as it came.
 */
async function ask(endpoint: string, operation: FetcherParams, headers: Headers): Promise<ExecutionResult> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { accept: 'application/graphql-response+json, application/json;q=0.9', ...headers },
    body: JSON.stringify(operation),
  });
  return read(response.status, await response.text());
}

/** What is not JSON is shown as it came. */
function read(status: number, text: string): ExecutionResult {
  try {
    return JSON.parse(text);
  } catch {
    return { errors: [{ message: `HTTP ${status}: ${text}` }] } as unknown as ExecutionResult;
  }
}

/** The answers of a subscription. Whoever stops to iterate ends it. */
function subscribe(
  endpoint: string,
  operation: FetcherParams,
  headers: Headers,
): AsyncIterableIterator<ExecutionResult> {
  const stop = new AbortController();
  const answers = events(endpoint, operation, headers, stop.signal);
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => answers.next(),
    // Not `answers.return()`, which would wait for the next event.
    async return() {
      stop.abort();
      return { done: true, value: undefined };
    },
  };
}

/** Reads server-sent events: `event: next` with an answer in `data`, then `event: complete`. */
async function* events(
  endpoint: string,
  operation: FetcherParams,
  headers: Headers,
  signal: AbortSignal,
): AsyncGenerator<ExecutionResult, undefined> {
  try {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { accept: 'text/event-stream', ...headers },
      body: JSON.stringify(operation),
      signal,
    });
    if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
      yield read(response.status, await response.text());
      return;
    }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      const parts = (text + value).split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) {
        const data = part.split('\n').find((line) => line.startsWith('data: '));
        if (data) {
          yield read(response.status, data.slice('data: '.length));
        }
      }
    }
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
  }
}
