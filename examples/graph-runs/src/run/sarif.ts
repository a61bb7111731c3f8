// Findings in SARIF 2.1.0, as code hosts read it.
// Source: "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", OASIS.

import type { Finding } from '../api/data';

const LEVELS = { HIGH: 'error', MEDIUM: 'warning', LOW: 'note' } as const;

export function sarif(findings: readonly Finding[]): string {
  const remedies = new Map(findings.map(({ rule, remedy }) => [rule, remedy]));
  const rules = [...remedies].toSorted(([one], [other]) => one.localeCompare(other)).map(([id, remedy]) => ({
    id,
    ...(remedy && { help: { text: remedy } }),
  }));
  const results = findings.map(({ rule, severity, message, nodeId, file, line }) => ({
    ruleId: rule,
    // An unknown severity is a warning, rather than nothing.
    level: severity ? LEVELS[severity] : 'warning',
    message: { text: message },
    locations: [
      {
        ...(file && {
          physicalLocation: {
            artifactLocation: { uri: encodeURI(file), uriBaseId: '%SRCROOT%' },
            ...(line && { region: { startLine: line } }),
          },
        }),
        logicalLocations: [{ fullyQualifiedName: nodeId }],
      },
    ],
  }));
  const run = { tool: { driver: { name: 'trestle', rules } }, results };
  return JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2);
}

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';
