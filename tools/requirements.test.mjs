import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import './swc-hook.mjs';

const CITES = /verifies\(\s*(\[[^\]]*\]|'[^']*')/g;
const { requirements } = await import('../apps/api/e2e/requirements.ts');

/** The requirements that the tests of some files cite. */
function citedIn(files) {
  const ids = files.flatMap((file) =>
    Array.from(
      readFileSync(file, 'utf8').matchAll(CITES),
      ([, cited]) => cited.match(/[a-z0-9.-]{3,}/g) ?? [],
    ).flat(),
  );
  return new Set(ids);
}

const specs = globSync('apps/{api,console}/e2e/**/*.e2e-spec.ts');
const quick = citedIn(specs.filter((file) => !file.includes('.slow.')));
const slow = citedIn(specs.filter((file) => file.includes('.slow.')));

test('each requirement has a test in npm test, or the reason why only the slow tier has one', () => {
  const isMissing = ([id, { onlySlow }]) =>
    onlySlow === undefined ? !quick.has(id) : quick.has(id) || !slow.has(id);
  assert.deepEqual(Object.entries(requirements).filter(isMissing), []);
});

test('no test cites what is no requirement', () => {
  assert.deepEqual(
    [...quick, ...slow].filter((id) => !(id in requirements)),
    [],
  );
});
