import assert from 'node:assert/strict';
import { test } from 'node:test';
import { merge } from './jest/repeated.mjs';

const named = (fullName, status, failureMessages = []) => ({
  fullName,
  status,
  failureMessages,
  invocations: 1,
});
const file = (name, ...assertionResults) => ({
  name,
  status: assertionResults.every(({ status }) => status === 'passed') ? 'passed' : 'failed',
  assertionResults,
});
const unable = (name) => ({ name, status: 'failed', message: 'no such module', assertionResults: [] });
const report = (...testResults) => ({ testResults });

test('counts a test as what it was when it was repeated, and keeps why it failed at first', () => {
  const first = report(
    file('a', named('one', 'passed'), named('two', 'failed', ['late'])),
    file('b', named('x', 'failed', ['lost'])),
  );
  const merged = merge(
    first,
    report(
      file('a', named('one', 'failed', ['other']), named('two', 'passed')),
      file('b', named('x', 'failed', ['again'])),
    ),
  );
  assert.deepEqual(
    merged.testResults.flatMap(({ assertionResults }) => assertionResults),
    [
      { fullName: 'one', status: 'passed', failureMessages: [], invocations: 1 },
      { fullName: 'two', status: 'passed', failureMessages: [], invocations: 2, retryReasons: ['late'] },
      { fullName: 'x', status: 'failed', failureMessages: ['again'], invocations: 2, retryReasons: ['lost'] },
    ],
  );
  assert.deepEqual(
    [merged.numPassedTests, merged.numFailedTests, merged.numRuntimeErrorTestSuites],
    [2, 1, 0],
  );
});

test('a file that could not run is a failure until it has run', () => {
  const first = report(unable('a'), unable('b'), file('c', named('x', 'failed', ['lost'])));
  const merged = merge(first, report(file('a', named('one', 'passed')), unable('b'), unable('c')));
  assert.deepEqual(merged.testResults[0].assertionResults[0].retryReasons, ['no such module']);
  assert.deepEqual(
    [merged.numPassedTests, merged.numFailedTests, merged.numRuntimeErrorTestSuites],
    [1, 1, 1],
  );
});
