// node tools/node-tests.mjs [pattern …]: runs the tests of the tools, or the files that match, with node:test.
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { run as runTests } from 'node:test';
import { spec } from 'node:test/reporters';

const REPORT = 'reports/test.json';

const patterns = process.argv.slice(2);
const files = globSync('tools/*.test.mjs').filter(
  (file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)),
);
const counts = { passed: 0, failed: 0, skipped: 0 };
/** The failed tests by file. */
const failures = new Map();
mkdirSync('reports', { recursive: true });
rmSync(REPORT, { force: true });
if (files.length > 0) {
  const events = runTests({ files, concurrency: false });
  events.on('test:pass', (test) => count(test, test.skip === undefined && !test.todo ? 'passed' : 'skipped'));
  events.on('test:fail', (test) => {
    count(test, 'failed');
    addFailure(test);
  });
  for await (const line of events.compose(new spec())) process.stdout.write(line);
}
// The format of Jest's reports, which npm test adds up.
writeFileSync(
  REPORT,
  JSON.stringify({
    numPassedTests: counts.passed,
    numFailedTests: counts.failed,
    numPendingTests: counts.skipped,
    numTodoTests: 0,
    numRuntimeErrorTestSuites: 0,
    testResults: Array.from(failures, ([name, assertionResults]) => ({ name, assertionResults })),
  }),
);
process.exitCode = counts.failed > 0 ? 1 : 0;

/** Suites are reported like tests, but must not be counted. */
function count({ details }, outcome) {
  if (details.type !== 'suite') counts[outcome] += 1;
}

function addFailure({ name, file, details }) {
  if (details.type === 'suite') return;
  const failure = {
    status: 'failed',
    fullName: name,
    failureMessages: [String(details.error.cause ?? details.error)],
  };
  failures.set(file, [...(failures.get(file) ?? []), failure]);
}
