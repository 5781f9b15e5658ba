/**
 * Adds what came of files that ran once more, in a fresh service and browser, to the report of the run in which they failed. Only tests
 * that failed are replaced; they keep the messages of the first attempt as `retryReasons`.
 */
export function merge(report, repeated) {
  const again = new Map(repeated.testResults.map((result) => [result.name, result]));
  const testResults = report.testResults.map((first) => {
    const second = again.get(first.name);
    return second === undefined ? first : mergeFile(first, second);
  });
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const count = (status) => tests.filter((test) => test.status === status).length;
  return {
    ...report,
    testResults,
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    numRuntimeErrorTestSuites: testResults.filter(couldNotRun).length,
  };
}

function mergeFile(first, second) {
  if (couldNotRun(second)) return first;
  const attempt = (test, messages) => ({ ...test, invocations: 2, retryReasons: messages });
  if (couldNotRun(first))
    return {
      ...second,
      assertionResults: second.assertionResults.map((test) => attempt(test, [first.message])),
    };
  const outcomes = new Map(second.assertionResults.map((test) => [test.fullName, test]));
  const assertionResults = first.assertionResults.map((test) => {
    const outcome = test.status === 'failed' ? outcomes.get(test.fullName) : undefined;
    return outcome === undefined ? test : attempt(outcome, test.failureMessages);
  });
  const isFailed = assertionResults.some(({ status }) => status === 'failed');
  return { ...first, status: isFailed ? 'failed' : 'passed', assertionResults };
}

/** A file that failed before its tests, such as for an import. */
function couldNotRun({ status, assertionResults }) {
  return status === 'failed' && assertionResults.length === 0;
}
