// npm test [-- pattern …]: runs all tests, or the test files that match, as the targets `test`, `e2e`, and `timed` of all projects.
// Results of unchanged projects come from the Nx cache. The last line is the sum.
import { readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { workspacesWith } from './build.mjs';
import { CHROMIUM, REDIS, findOrInstall } from './external.mjs';
import { run } from './processes.mjs';

const TARGETS = ['test', 'e2e', 'timed'];
const MESSAGE_LINES = 12;

const patterns = process.argv.slice(2);
const total = { passed: 0, failed: 0, skipped: 0 };
const notes = [];

await requireProgram(CHROMIUM, 'PLATFORM_SKIP_BROWSER');
await requireProgram(REDIS, 'PLATFORM_SKIP_REDIS');

const reports = [
  { name: 'tools', file: 'reports/test.json' },
  ...TARGETS.flatMap((target) =>
    workspacesWith(target).map(({ name, folder }) => ({
      name: `${name} ${target}`,
      file: join(folder, 'reports', `${target}.json`),
    })),
  ),
];
for (const { file } of reports) rmSync(file, { force: true });
const code = await runTargets();
for (const report of reports) add(report);
if (code !== 0 && total.failed === 0) fail(`the runner exited with ${code}`);
if (total.passed + total.failed + total.skipped === 0) fail(`no test matches ${patterns.join(' ')}`);

if (notes.length > 0) console.log(`\n${notes.join('\n')}`);
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
process.exit(total.failed > 0 ? 1 : 0);

function fail(sentence) {
  total.failed += 1;
  notes.push(`Failed: ${sentence}`);
}

/** If the program is missing, `skipVariable` makes its suites skip; with CI=true that is a failure. */
async function requireProgram(program, skipVariable) {
  const { path, reason } = await findOrInstall(program);
  if (path) process.env[program.variable] = path;
  else {
    process.env[skipVariable] = reason;
    if (process.env.CI === 'true') fail(reason);
    else notes.push(`Skipped: suites that need ${program.name}. ${reason}`);
  }
}

/**
 * Runs two suites at a time, because much of the time of the long ones is waiting; `timed` runs beside no other suite
 * (nx.json). A failed suite does not stop the others.
 */
async function runTargets() {
  const args = ['run-many', '-t', ...TARGETS, '--parallel=2', '--nxBail=false'];
  const { code, stopped } = await run(
    'nx',
    [...args, '--outputStyle=stream-without-prefixes', '--', ...patterns],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, NX_TUI: 'false', NX_DAEMON: 'false' },
    },
  );
  if (stopped) process.exit(code || 130);
  return code;
}

function add({ name, file }) {
  const result = read(file);
  if (result === undefined) {
    // Without a report, the results of its tests are unknown.
    fail(`${name}: no report`);
    return;
  }
  for (const { name: spec, message, assertionResults } of result.testResults) {
    const path = relative(process.cwd(), spec);
    const pending = assertionResults.filter(({ status }) => status === 'pending' || status === 'todo');
    if (pending.length > 0) notes.push(`Skipped: ${pending.length} in ${path}`);
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    for (const { fullName, failureMessages } of failed) {
      notes.push(`Failed: ${path}: ${fullName}\n${beginning(failureMessages.join('\n'))}`);
    }
    const retried = assertionResults.filter(
      ({ status, invocations }) => status === 'passed' && invocations > 1,
    );
    for (const { fullName, retryReasons } of retried) {
      notes.push(`Passed only when repeated: ${path}: ${fullName}\n${beginning(retryReasons.join('\n'))}`);
    }
    if (assertionResults.length === 0 && message) notes.push(`Failed: ${path}\n${beginning(message)}`);
  }
  total.passed += result.numPassedTests;
  // A file that could not run has no failed tests, but is counted as a failure.
  total.failed += result.numFailedTests + result.numRuntimeErrorTestSuites;
  total.skipped += result.numPendingTests + result.numTodoTests;
}

/** The first lines of an error message. The whole message is far above, among the output of the other suites. */
function beginning(message) {
  const lines = stripVTControlCharacters(message).split('\n', MESSAGE_LINES);
  return lines.map((line) => `    ${line}`).join('\n');
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
