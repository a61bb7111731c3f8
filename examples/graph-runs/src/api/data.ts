// What the page reads of runs.

import { graphql } from '../gql';
import type { FindingPartFragment, NodePartFragment, RunRowFragment } from '../gql/graphql';

export const RunRowDoc = graphql(`
  fragment RunRow on Run {
    runId
    createdAt
    environment
    iacFormat
    status
    isStuck
    failureReason
    root
    provenance {
      iacCommitSha
      terraformWorkspace
      region
    }
    summary {
      nodeCount
      edgeCount
      internetExposedCount
      datastoreCount
      unresolvedCount
    }
  }
`);

export const NodePartDoc = graphql(`
  fragment NodePart on GraphNode {
    nodeId
    type
    kind
    file
    line
    instances
    datastore
    internetExposed
    unresolved
  }
`);

export const FindingPartDoc = graphql(`
  fragment FindingPart on Finding {
    rule
    severity
    nodeId
    message
    remedy
    file
    line
  }
`);

export type RunRow = RunRowFragment;
export type Finding = FindingPartFragment;
export type GraphNode = NodePartFragment;
