import Sequencer from '@jest/test-sequencer';

/** The files that take longest, and do not look like it: Jest takes the length of a file for its time. */
const LONGEST = [
  'event-kills',
  'job-faults',
  'faults',
  'run-faults',
  'outages.slow',
  'restarts.slow',
  'event-races',
  'usage',
  'knowledge-kills',
  'agent-steps',
  'ledger-faults',
  'job-queue',
  'knowledge-sources',
  'availability',
  'limited-replay',
  'outages',
  'tools-import',
  'bulk-replay',
  'event-outages',
  'event-deployments',
  'knowledge-words',
  'tool-idempotency',
  'recovery',
  'knowledge-fusion',
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
