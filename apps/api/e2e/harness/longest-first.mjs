import Sequencer from '@jest/test-sequencer';

/** The files that take longest, and do not look like it: Jest takes the length of a file for its time. */
const LONGEST = [
  'event-kills',
  'outages.slow',
  'job-faults',
  'faults',
  'run-faults',
  'run-keys',
  'mcp-conformance.slow',
  'restarts.slow',
  'usage',
  'knowledge-scan.slow',
  'event-deployments',
  'event-model',
  'event-races',
  'workflow-kills.slow',
  'event-kills.slow',
  'availability.slow',
  'sandbox',
  'first-start',
  'mcp-kills',
  'oauth',
  'knowledge-meaning',
  'turn-bounds',
  'mcp-content',
  'notifications',
  'agent-steps',
  'context',
  'changes',
  'ledger-faults',
  'workflows',
  'canaries',
  'availability',
  'knowledge-kills',
  'paused-process.slow',
  'event-outages',
  'outages',
  'limited-replay',
  'bulk-replay',
  'job-queue',
];

/** Begins with the longest files, so that no worker is left alone with one of them at the end. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const at = LONGEST.findIndex((name) => path.endsWith(`/e2e/${name}.e2e-spec.ts`));
      return at < 0 ? LONGEST.length : at;
    };
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
}
