// npm test [pattern …]: every test of the repository, by several runners; the last line sums all of them up.
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { ensureBuilt, workspacesWith } from './build.mjs';
import { CHROMIUM, REDIS, findOrInstall } from './external.mjs';
import { run } from './processes.mjs';

const patterns = process.argv.slice(2);
const reports = mkdtempSync(join(tmpdir(), 'platform-tests-'));
const total = { passed: 0, failed: 0, skipped: 0 };
const notes = [];

await needed(CHROMIUM, 'PLATFORM_SKIP_BROWSER');
await needed(REDIS, 'PLATFORM_SKIP_REDIS');
if (!(await ensureBuilt())) fail('the build failed: see above');
await nodeTests();
for (const workspace of workspacesWith('test')) await jestTests(workspace);
if (total.passed + total.failed + total.skipped === 0) fail(`no test matches ${patterns.join(' ')}`);

rmSync(reports, { recursive: true, force: true });
if (notes.length > 0) console.log(`\n${notes.join('\n')}`);
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
process.exit(total.failed > 0 ? 1 : 0);

function fail(sentence) {
  total.failed += 1;
  notes.push(`Failed: ${sentence}`);
}

/** What is missing skips the suites that need it, by `skipVariable`; where CI=true it is a failure. */
async function needed(program, skipVariable) {
  const { path, reason } = await findOrInstall(program);
  if (path) process.env[program.variable] = path;
  else {
    process.env[skipVariable] = reason;
    if (process.env.CI === 'true') fail(reason);
    else notes.push(`Skipped: what needs ${program.name}. ${reason}`);
  }
}

/** The tests of the tools run on Node's own runner. */
async function nodeTests() {
  const files = globSync('tools/*.test.mjs').filter(
    (file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)),
  );
  if (files.length === 0) return;
  const report = join(reports, 'tools.tap');
  const spec = ['--test-reporter=spec', '--test-reporter-destination=stdout'];
  const tap = ['--test-reporter=tap', `--test-reporter-destination=${report}`];
  const { code } = await runner(process.execPath, ['--test', ...spec, ...tap, ...files]);
  const counts = readReport(report, (text) => {
    const count = (name) => Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(text)[1]);
    return {
      passed: count('pass'),
      failed: count('fail') + count('cancelled'),
      skipped: count('skipped') + count('todo'),
    };
  });
  add('tools', code, counts);
}

async function jestTests({ name }) {
  const report = join(reports, `${basename(name)}.json`);
  const narrowed = patterns.length > 0 ? ['--passWithNoTests', ...patterns] : [];
  const args = ['--json', `--outputFile=${report}`, ...narrowed];
  const { code } = await runner('npm', ['run', 'test', '--silent', '-w', name, '--', ...args]);
  const counts = readReport(report, (text) => {
    const result = JSON.parse(text);
    for (const { name: file, assertionResults } of result.testResults) {
      const pending = assertionResults.filter(({ status }) => status === 'pending' || status === 'todo');
      if (pending.length > 0) notes.push(`Skipped: ${pending.length} in ${relative(process.cwd(), file)}`);
    }
    return {
      passed: result.numPassedTests,
      // A file that could not even run has no failed test of its own.
      failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
      skipped: result.numPendingTests + result.numTodoTests,
    };
  });
  add(name, code, counts);
}

async function runner(program, args) {
  const { code, stopped } = await run(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (stopped) {
    rmSync(reports, { recursive: true, force: true });
    process.exit(code || 130);
  }
  return { code };
}

function readReport(file, count) {
  try {
    return count(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** A runner that fails without a failed test, or ends without a report, counts as one failure. */
function add(name, code, counts = { passed: 0, failed: 0, skipped: 0 }) {
  for (const key of Object.keys(total)) total[key] += counts[key];
  if (code !== 0 && counts.failed === 0) fail(`${name}: the runner ended with ${code}`);
}
