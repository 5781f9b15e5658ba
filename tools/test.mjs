// npm test [-- pattern …]: runs the quick tier, the targets `test` and `e2e` of all projects; npm run test:slow runs the
// target `slow`. Results of unchanged projects come from the Nx cache. With patterns, only the files that match run, without Nx.
// The last line is the sum. See docs/decisions/0030-test-tiers.md.
import { globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { workspacesWith } from './build.mjs';
import { CHROMIUM, PGBOUNCER, REDIS, findOrInstall } from './external.mjs';
import { run } from './processes.mjs';

const MESSAGE_LINES = 12;
/** What a test of the quick tier may take on an idle machine. A busy one fails nobody. */
const LONG_MS = 30_000;
/** With TEST_REPORT=1: how many of the files that use most processor time are listed. */
const REPORTED_FILES = 40;

const isSlow = process.argv[2] === '--slow';
const patterns = process.argv.slice(isSlow ? 3 : 2);
const tier = isSlow ? 'slow' : 'quick';
const total = { passed: 0, failed: 0, skipped: 0 };
const notes = [];

for (const file of processorTimes()) rmSync(file);
const code = await (patterns.length > 0 ? runMatching() : runAll());
if (code !== 0 && total.failed === 0) fail(`the runner exited with ${code}`);
if (total.passed + total.failed + total.skipped === 0)
  fail(`no test of the ${tier} tier matches ${patterns.join(' ')}`);

if (process.env.TEST_REPORT === '1') printProcessorTimes();
if (notes.length > 0) console.log(`\n${notes.join('\n')}`);
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
process.exit(total.failed > 0 ? 1 : 0);

/** What the test files of each package used; see tools/jest/processor-time.mjs. */
function processorTimes() {
  return globSync('{.,{apps,libs}/*}/reports/processor-time.jsonl');
}

/** Without the databases, which all files share, and without what came from the Nx cache. */
function printProcessorTimes() {
  const files = processorTimes()
    .flatMap((file) => readFileSync(file, 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line))
    .sort((one, other) => other.own + other.children - one.own - one.children);
  const sum = (key) => Math.round(files.reduce((total, file) => total + file[key], 0));
  console.log(
    `\nSeconds of processor time: ${sum('own')} of test files, ${sum('children')} of their processes`,
  );
  for (const { file, own, children } of files.slice(0, REPORTED_FILES))
    console.log(
      `${own.toFixed(1).padStart(7)} ${children.toFixed(1).padStart(7)}  ${relative(process.cwd(), file)}`,
    );
}

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

/** Runs two suites at a time, because much of the time of the long ones is waiting. A failed suite does not stop the others. */
async function runAll() {
  await requireProgram(CHROMIUM, 'PLATFORM_SKIP_BROWSER');
  await requireProgram(REDIS, 'PLATFORM_SKIP_REDIS');
  if (isSlow) await requireProgram(PGBOUNCER, 'PLATFORM_SKIP_PGBOUNCER');
  const targets = isSlow ? ['slow'] : ['test', 'e2e'];
  const reports = targets.flatMap(reportsOf);
  for (const { file } of reports) rmSync(file, { force: true });
  const code = await start('nx', [
    'run-many',
    '-t',
    ...targets,
    // Nx begins with what others depend on, and this target depends on the longest one.
    ...(isSlow ? [] : ['longest']),
    '--parallel=2',
    '--nxBail=false',
    '--outputStyle=stream-without-prefixes',
  ]);
  for (const report of reports) add(report);
  return code;
}

/** The reports that the projects write for a target. */
function reportsOf(target) {
  const groups = globSync('apps/api/src/*/project.json').map((file) => ({
    name: `${dirname(file)} ${target}`,
    file: `apps/api/reports/${dirname(file).split('/').at(-1)}-${target}.json`,
    targets: JSON.parse(readFileSync(file, 'utf8')).targets,
  }));
  return [
    ...(target === 'test' ? [{ name: 'tools', file: 'reports/test.json' }] : []),
    ...workspacesWith(target).map(({ name, folder }) => ({
      name: `${name} ${target}`,
      file: join(folder, 'reports', `${target}.json`),
    })),
    ...groups.filter(({ targets }) => target in targets),
  ];
}

/** Runs what matches in one process, with nothing around it but what these files need. */
async function runMatching() {
  const { projects } = (await import('../jest.config.mjs')).default;
  const matches = (file) => patterns.some((pattern) => new RegExp(pattern, 'i').test(file));
  const matching = projects
    .filter((project) => project.displayName.includes('slow') === isSlow)
    .filter(({ rootDir, testMatch }) =>
      testMatch.some((glob) => globSync(glob.replace('<rootDir>', rootDir)).some(matches)),
    )
    .map(({ displayName }) => displayName);
  let code = 0;
  if (matching.some((name) => name.startsWith('console-e2e'))) {
    await requireProgram(CHROMIUM, 'PLATFORM_SKIP_BROWSER');
    code ||= await start('nx', ['run', '@platform/console:build', '--outputStyle=static']);
  }
  if (matching.some((name) => name.includes('e2e'))) await requireProgram(REDIS, 'PLATFORM_SKIP_REDIS');
  if (matching.includes('e2e-slow')) await requireProgram(PGBOUNCER, 'PLATFORM_SKIP_PGBOUNCER');
  const report = `reports/${tier}.json`;
  if (matching.length > 0) {
    rmSync(report, { force: true });
    code ||= await start(process.execPath, [
      'tools/jest.mjs',
      tier,
      `--projects=${matching.join()}`,
      ...patterns,
    ]);
    add({ name: 'jest', file: report });
  }
  if (!isSlow && globSync('tools/*.test.mjs').some(matches)) {
    code ||= await start(process.execPath, ['tools/node-tests.mjs', ...patterns]);
    add({ name: 'tools', file: 'reports/test.json' });
  }
  return code;
}

async function start(program, args) {
  const { code, stopped } = await run(program, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, NX_TUI: 'false', NX_DAEMON: 'false' },
  });
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
    for (const { fullName, duration } of assertionResults)
      if (!isSlow && duration > LONG_MS)
        notes.push(
          `Longer than ${LONG_MS / 1_000} s: ${Math.round(duration / 1_000)} s in ${path}: ${fullName}`,
        );
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    for (const { fullName, failureMessages, invocations, retryReasons } of failed) {
      notes.push(`Failed: ${path}: ${fullName}\n${beginning(failureMessages.join('\n'))}`);
      if (invocations > 1) notes.push(`    In the first attempt:\n${beginning(retryReasons.join('\n'))}`);
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
