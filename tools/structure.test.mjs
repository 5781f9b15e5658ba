import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  crowdedClasses,
  foreignTables,
  importCycles,
  privateImports,
  strayStatements,
  tableOwners,
  unindexedPurges,
  unusedLibraries,
} from './structure.mjs';

const root = join(import.meta.dirname, '..');
const repository = globSync('{apps,libs}/*/src/**/*.{ts,tsx}', { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !/\.spec\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

const ENTRIES = ['apps/api/src/main.ts', 'apps/console/src/main.tsx'];
/** What the specification prescribes. */
const REQUIRED_LIBRARIES = [
  ...[
    '@nestjs/core',
    '@nestjs/platform-express',
    '@nestjs/bull',
    'class-validator',
    'typeorm',
    'pg',
    'react',
  ],
  ...['@apidevtools/swagger-parser', 'js-yaml', 'tencentcloud-sdk-nodejs-asr'],
];

const api = (path, ...lines) => ({ path: `apps/api/src/${path}`, text: lines.join('\n') });

describe('the repository', () => {
  test('has entities, so that the table rules have something to check', () => {
    assert.ok(tableOwners(repository).size > 20);
  });
  test('has no import cycles', () => assert.deepEqual(importCycles(repository), []));
  test('keeps entities, stores and DTOs inside their module', () =>
    assert.deepEqual(privateImports(repository), []));
  test('names a table only in the module that owns it', () =>
    assert.deepEqual(foreignTables(repository), []));
  test('has SQL only in stores', () => assert.deepEqual(strayStatements(repository), []));
  test('purges with statements that an index serves', () =>
    assert.deepEqual(unindexedPurges(repository), []));
  test('injects at most six dependencies into a class', () =>
    assert.deepEqual(crowdedClasses(repository), []));
  test('imports every prescribed library in production code', () =>
    assert.deepEqual(unusedLibraries(repository, ENTRIES, REQUIRED_LIBRARIES), []));
});

describe('planted violations are found', () => {
  const entity = api('agents/agent.entity.ts', "@Entity('agent')", 'export class Agent {}');

  test('a cycle of type-only imports', () => {
    const files = [
      api('a/x.ts', "import type { Y } from './y.ts';"),
      api('a/y.ts', "import { z } from '../b/z.ts';"),
      api('b/z.ts', "export { x } from '../a/x.ts';"),
    ];
    const [cycle, ...others] = importCycles(files);
    assert.match(cycle, /a\/x\.ts → apps\/api\/src\/a\/y\.ts → apps\/api\/src\/b\/z\.ts/);
    assert.deepEqual(others, []);
  });

  test("another module's store", () => {
    const importer = api('turns/a.ts', "import { find } from '../agents/agents.store.ts';");
    assert.equal(privateImports([importer]).length, 1);
    assert.equal(privateImports([{ ...importer, path: 'apps/api/src/agents/a.ts' }]).length, 0);
  });

  test("another module's table, also behind a CTE", () => {
    const sql = 'with x as (select 1) update agent set name = $1 from x';
    const stranger = api('turns/a.store.ts', `const sql = \`${sql} where id = \${id}\`;`);
    assert.deepEqual(foreignTables([entity, stranger]), [
      'apps/api/src/turns/a.store.ts names agent, a table of agents/',
    ]);
    assert.deepEqual(foreignTables([entity, { ...stranger, path: 'apps/api/src/agents/a.store.ts' }]), []);
  });

  test('SQL in a service', () => {
    const statement = "sql.query('delete from agent where id = $1')";
    assert.equal(strayStatements([entity, api('agents/agents.service.ts', statement)]).length, 1);
    assert.equal(strayStatements([entity, api('agents/agents.store.ts', statement)]).length, 0);
    assert.equal(strayStatements([entity, api('agents/a.ts', "const text = 'select a model';")]).length, 0);
  });

  test('a purge that compares with a volatile function', () => {
    const purge = (now) =>
      api(
        'a/a.store.ts',
        `sql.query('delete from a where id in (select id from a where at < ${now}() limit $1)')`,
      );
    assert.equal(unindexedPurges([purge('clock_timestamp')]).length, 1);
    assert.equal(unindexedPurges([purge('statement_timestamp')]).length, 0);
  });

  test('a class with seven dependencies', () => {
    const parameters = Array.from({ length: 7 }, (_, i) => `private readonly p${i}: P`).join(', ');
    const crowded = api('a/a.service.ts', `@Injectable() export class A { constructor(${parameters}) {} }`);
    assert.deepEqual(crowdedClasses([crowded]), ['apps/api/src/a/a.service.ts: A has 7 dependencies']);
  });

  test('a prescribed library that is imported only as a type, or only by a file that nothing imports', () => {
    const unused = (...files) => unusedLibraries(files, ['apps/api/src/main.ts'], ['pg', 'js-yaml']);
    const yaml = api('a/yaml.ts', "import { load } from 'js-yaml';");
    const pools =
      "import type { Pool } from 'pg';\nimport { type Client } from 'pg';\nexport type * from 'pg';";
    assert.deepEqual(unused(api('main.ts', pools), yaml), ['pg', 'js-yaml']);
    const main = api('main.ts', "const a = await import('./a/a.ts');", "import pg from 'pg/lib/client.js';");
    assert.deepEqual(unused(main, api('a/a.ts', "export * from './yaml.ts';"), yaml), []);
    assert.deepEqual(unused(main, api('a/a.ts', "import type { Y } from './yaml.ts';"), yaml), ['js-yaml']);
    const worker = api('a/a.ts', "new Worker(new URL('./yaml.ts', import.meta.url));");
    assert.deepEqual(unused(main, worker, yaml), []);
  });
});
