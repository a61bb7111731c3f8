// What is read of a complete run: by pages, and past the cache, because a complete run does not change.

import { client } from '../api/client';
import type { Finding, GraphNode } from '../api/data';
import { textOf } from '../api/files';
import { graphql } from '../gql';

export const RunPageDoc = graphql(`
  query RunPage($runId: String!) {
    run(runId: $runId) {
      ...RunRow
    }
  }
`);

const NodesDoc = graphql(`
  query Nodes($runId: String!, $after: String) {
    run(runId: $runId) {
      runId
      nodes(first: 100, after: $after) {
        edges {
          node {
            ...NodePart
          }
        }
        pageInfo {
          endCursor
          hasNextPage
        }
      }
    }
  }
`);

const FindingsDoc = graphql(`
  query Findings($runId: String!, $after: String) {
    run(runId: $runId) {
      runId
      findings(first: 100, after: $after) {
        edges {
          node {
            ...FindingPart
          }
        }
        pageInfo {
          endCursor
          hasNextPage
        }
      }
    }
  }
`);

const PathDoc = graphql(`
  query Path($runId: String!, $to: String!) {
    run(runId: $runId) {
      runId
      path(from: "INTERNET", to: $to) {
        nodes {
          nodeId
        }
      }
    }
  }
`);

const PictureDoc = graphql(`
  query Picture($runId: String!) {
    run(runId: $runId) {
      runId
      graph(format: SVG) {
        url
      }
    }
  }
`);

const ReportDoc = graphql(`
  query Report($runId: String!) {
    run(runId: $runId) {
      runId
      reportDownload {
        url
      }
    }
  }
`);

interface Page<T> {
  readonly edges: readonly { readonly node?: T | null }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
}

/** Most that is read: what the picture cannot show is not listed to its end either. */
const MOST_PAGES = 20;

/** All pages of a list; nothing if there is no list. */
async function all<T>(page: (after: string | null) => Promise<Page<T> | null | undefined>): Promise<T[] | null> {
  const found: T[] = [];
  let after: string | null = null;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const next: Page<T> | null | undefined = await page(after);
    if (!next) return pages === 0 ? null : found;
    found.push(...next.edges.flatMap(({ node }) => (node ? [node] : [])));
    if (!next.pageInfo.hasNextPage || !next.pageInfo.endCursor) break;
    after = next.pageInfo.endCursor;
  }
  return found;
}

export async function allNodes(runId: string): Promise<readonly GraphNode[]> {
  const nodes = await all<GraphNode>(async (after) => {
    const { data } = await client.query({ query: NodesDoc, variables: { runId, after }, fetchPolicy: 'no-cache' });
    return data?.run?.nodes;
  });
  return nodes ?? [];
}

/** The findings, the most severe first; nothing if the run has no report. */
export function allFindings(runId: string): Promise<readonly Finding[] | null> {
  return all<Finding>(async (after) => {
    const { data } = await client.query({ query: FindingsDoc, variables: { runId, after }, fetchPolicy: 'no-cache' });
    return data?.run?.findings;
  });
}

/** The nodes on the shortest way from the internet; none if there is no way. */
export async function pathTo(runId: string, to: string): Promise<readonly string[]> {
  const { data } = await client.query({ query: PathDoc, variables: { runId, to } });
  return (data?.run?.path?.nodes ?? []).map(({ nodeId }) => nodeId);
}

/** The address of the picture. */
export async function addressOfPicture(runId: string): Promise<string> {
  const { data } = await client.query({ query: PictureDoc, variables: { runId }, fetchPolicy: 'no-cache' });
  const url = data?.run?.graph?.url;
  if (!url) throw new Error('There is no picture of this run.');
  return url;
}

export async function pictureOf(runId: string): Promise<string> {
  return textOf(await addressOfPicture(runId));
}

/** The risk report as it is stored. */
export async function reportOf(runId: string): Promise<string> {
  const { data } = await client.query({ query: ReportDoc, variables: { runId }, fetchPolicy: 'no-cache' });
  const url = data?.run?.reportDownload?.url;
  if (!url) throw new Error('The run has no report.');
  return textOf(url);
}

/** What a report has beside its findings. Reports of other workers may lack any of it. */
export interface Remarks {
  /** What is not decided, which is no finding and not clear either. */
  readonly undecided: readonly { readonly node: string; readonly message: string; readonly rule?: string }[];
  readonly warnings: readonly { readonly file: string; readonly line: number; readonly message: string }[];
  readonly unread: readonly { readonly file: string; readonly reason: string }[];
}

export async function remarksOf(runId: string): Promise<Remarks> {
  const report = JSON.parse(await reportOf(runId)) as Partial<Remarks> & {
    readonly unresolved?: Remarks['undecided'];
    readonly notes?: Remarks['undecided'];
  };
  const { unresolved = [], notes = [], warnings = [], unread = [] } = report;
  // A note without a rule says something of a node, and leaves nothing open.
  return { undecided: [...unresolved, ...notes.filter(({ rule }) => rule !== undefined)], warnings, unread };
}
