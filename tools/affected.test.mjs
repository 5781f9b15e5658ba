import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { filterAffected } from 'nx/src/project-graph/affected/affected-project-graph.js';
import { calculateFileChanges } from 'nx/src/project-graph/file-utils.js';
import { createProjectGraphAsync } from 'nx/src/project-graph/project-graph.js';

const API = 'apps/api/src';
/** What every group may import, and whose changes concern all of them: `apiGround` in nx.json. */
const GROUND = ['infra', 'auth', 'storage', 'search', 'migrations'];
const groups = globSync(`${API}/*/project.json`).map((file) => ({
  name: dirname(file).split('/').at(-1),
  inputs: JSON.parse(readFileSync(file, 'utf8')).targets.e2e?.inputs ?? [],
}));

/** What `nx affected` does, with one project graph for all calls: it takes most of the time. */
const affectedBy = async (graph, file) => {
  const { nodes } = await filterAffected(graph, calculateFileChanges([file], {}));
  // The checks of the whole repository.
  return Object.keys(nodes)
    .filter((name) => name !== 'platform')
    .sort();
};

/** The modules of the API that a file imports. */
const modulesOf = (file) =>
  Array.from(readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g), ([, path]) =>
    relative(API, join(dirname(file), path)),
  )
    .filter((path) => !path.startsWith('..') && path.includes('/'))
    .map((path) => path.split('/')[0]);

test('a group of the API imports only what its project names as inputs, and so do its e2e tests', () => {
  assert.ok(groups.length > 0);
  for (const { name, inputs } of groups) {
    const specs = inputs.filter((input) => String(input).endsWith('-spec.ts'));
    const files = [
      ...globSync(`${API}/${name}/**/*.ts`),
      ...specs.map((spec) => spec.replace('{workspaceRoot}/', '')),
    ];
    for (const file of files) {
      const others = modulesOf(file).filter((module) => ![...GROUND, name].includes(module));
      assert.deepEqual(others, [], `${file} imports ${others.join()}`);
    }
  }
});

test('a change concerns the projects that depend on it', async () => {
  process.env.NX_DAEMON = 'false';
  const graph = await createProjectGraphAsync();
  const all = groups.map(({ name }) => `api-${name}`);
  const whole = ['@platform/api', '@platform/console'];
  const expected = {
    [`${API}/events/events.module.ts`]: whole,
    [`${API}/tasks/tasks.module.ts`]: [...whole, 'api-tasks'],
    'apps/api/e2e/runs.e2e-spec.ts': [...whole, 'api-tasks'],
    [`${API}/infra/sweeper.ts`]: [...whole, ...all],
    'apps/console/src/main.tsx': ['@platform/console'],
    'apps/console/e2e/console.e2e-spec.ts': ['@platform/console'],
  };
  for (const [file, projects] of Object.entries(expected))
    assert.deepEqual(await affectedBy(graph, file), projects.sort(), file);
});
