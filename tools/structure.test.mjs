import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { folderOrder } from './module-order.mjs';
import {
  crowdedClasses,
  crowdedFolders,
  foreignTables,
  importCycles,
  misnamedInjectables,
  privateImports,
  quotedAliases,
  strayStatements,
  tableOwners,
  unindexedPurges,
  unobservedTransitions,
  unorderedFolders,
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
  '@nestjs/core',
  '@nestjs/platform-express',
  '@nestjs/bull',
  'class-validator',
  'typeorm',
  'pg',
  'react',
  '@apidevtools/swagger-parser',
  'js-yaml',
  'tencentcloud-sdk-nodejs-asr',
];

const readme = (module) => readFileSync(join(root, 'apps/api/src', module, 'README.md'), 'utf8');
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
  test('leaves the names of columns to rows()', () => assert.deepEqual(quotedAliases(repository), []));
  test('purges with statements that an index serves', () =>
    assert.deepEqual(unindexedPurges(repository), []));
  test('changes the status of a turn in one place', () =>
    assert.deepEqual(unobservedTransitions(repository), []));
  test('injects at most six dependencies into a class', () =>
    assert.deepEqual(crowdedClasses(repository), []));
  test('has at most twenty files in a folder', () => assert.deepEqual(crowdedFolders(repository), []));
  test('has ordered folders in every module past twenty files', () =>
    assert.deepEqual(unorderedFolders(repository, folderOrder), []));
  test('names every table in the README of its module', () => {
    const unnamed = [...tableOwners(repository)].filter(
      ([table, module]) => !readme(module).includes(`\`${table}\``),
    );
    assert.deepEqual(unnamed, []);
  });
  test('has the folders of modules, in their order, in docs/architecture.md', () => {
    const [, section = ''] = readFileSync(join(root, 'docs/architecture.md'), 'utf8').split(
      '### Inside a module',
    );
    for (const [module, folders] of Object.entries(folderOrder)) {
      const [, row = ''] = new RegExp(`^\\| \`${module}\` +\\|(.*)$`, 'm').exec(section) ?? [];
      assert.deepEqual(
        Array.from(row.matchAll(/`([\w-]+)\/`/g), ([, folder]) => folder),
        folders,
      );
    }
  });
  test('names injectables after what they are', () => assert.deepEqual(misnamedInjectables(repository), []));
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

  const NAMED = {
    'a comma join': "sql.query('select 1 from turn t, agent a')",
    'a comma join after an alias': "sql.query('select 1 from turn as t, only agent')",
    'quotation marks': `sql.query('select 1 from "agent"')`,
    'its schema': "sql.query('update public.agent set name = $1')",
    'its quoted schema': `sql.query('delete from "public"."agent"')`,
    'a constant of a fragment': "const SOURCE = 'from agent';\nsql.query(`select 1 ${SOURCE} limit 1`)",
    'a constant of a name': "const TABLE = 'agent';\nsql.query(`select 1 from ${TABLE}`)",
    'a fragment of a join': "const owner = 'left join agent a on a.id = t.agent_id';",
    'a leading parenthesis': "sql.query('(select 1 from agent) union all (select 2)')",
    'a parenthesis before it': "sql.query('select 1 from (agent cross join turn)')",
    'a lock': "sql.query('lock table agent in share mode')",
    'a lock without its second word': "sql.query('lock agent')",
    truncation: "sql.query('truncate agent')",
    'a repository by name': "manager.getRepository('agent').find()",
    'a query builder by the name of the entity': "builder.leftJoin('AgentEntity', 'a')",
    concatenation: "sql.query('select 1 from ' + 'agent')",
    'concatenation with a constant': "const TABLE = 'agent';\nsql.query('select 1 from ' + TABLE)",
  };
  for (const [way, text] of Object.entries(NAMED)) {
    test(`another module's table, named by ${way}`, () => {
      const agents = api('agents/agent.entity.ts', "@Entity('agent')", 'export class AgentEntity {}');
      assert.deepEqual(foreignTables([agents, api('turns/a.store.ts', text)]), [
        'apps/api/src/turns/a.store.ts names agent, a table of agents/',
      ]);
      assert.deepEqual(foreignTables([agents, api('agents/a.store.ts', text)]), []);
    });
  }

  test('the 21st file of a folder', () => {
    const files = Array.from({ length: 20 }, (_, i) => api(`agents/f${i}.ts`));
    assert.deepEqual(crowdedFolders(files), []);
    assert.deepEqual(crowdedFolders([...files, api('agents/x.ts')]), ['apps/api/src/agents has 21 files']);
  });

  test('a module past twenty files without ordered folders, and a folder that is missing in the order', () => {
    const files = Array.from({ length: 21 }, (_, i) => api(`agents/${i % 2 ? 'a' : 'b'}/f${i}.ts`));
    assert.equal(unorderedFolders(files, {}).length, 2);
    assert.deepEqual(unorderedFolders(files, { agents: ['a'] }), [
      'agents/b has no place in tools/module-order.mjs',
    ]);
    assert.deepEqual(unorderedFolders(files, { agents: ['b', 'a'] }), []);
    assert.deepEqual(unorderedFolders(files.slice(1), {}), []);
  });

  test('an injectable without a suffix, and a service with another name than its file', () => {
    const injectable = (path, name) => api(path, `@Injectable()\nexport class ${name} {}`);
    assert.equal(misnamedInjectables([injectable('a/run-claims.ts', 'RunClaims')]).length, 1);
    assert.equal(misnamedInjectables([injectable('a/run-claims.service.ts', 'RunClaims')]).length, 1);
    assert.deepEqual(misnamedInjectables([injectable('a/run-claims.service.ts', 'RunClaimsService')]), []);
    assert.deepEqual(misnamedInjectables([injectable('a/run.worker.ts', 'RunWorker')]), []);
  });

  test('SQL in a service', () => {
    const statement = "sql.query('delete from agent where id = $1')";
    assert.equal(strayStatements([entity, api('agents/agents.service.ts', statement)]).length, 1);
    assert.equal(strayStatements([entity, api('agents/agents.store.ts', statement)]).length, 0);
    assert.equal(strayStatements([entity, api('agents/a.ts', "const text = 'select a model';")]).length, 0);
  });

  test('a column alias in camelCase', () => {
    const select = (column) => api('a/a.store.ts', `rows(sql, 'select ${column} from a')`);
    assert.equal(quotedAliases([select('space_id as "spaceId"')]).length, 1);
    assert.equal(quotedAliases([select('space_id, count(*) as n')]).length, 0);
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

  test('a change of a turn that is not observed', () => {
    const change = (path, set) =>
      api(path, `rows(tx, \`update turn set ${set} where id = $1 and status = 'RUNNING'\`)`);
    const store = 'turns/transitions/turn-status.store.ts';
    const failed = "error = $2, status = 'FAILED'";
    assert.deepEqual(unobservedTransitions([change(store, failed)]), []);
    assert.equal(unobservedTransitions([change('turns/records/turn.store.ts', failed)]).length, 1);
    assert.deepEqual(unobservedTransitions([change('turns/records/turn.store.ts', 'cost = $2')]), []);
    const user = (path) => api(path, "import { endTurn } from '../transitions/turn-status.store.ts';");
    assert.equal(unobservedTransitions([user('turns/engine/closing.service.ts')]).length, 1);
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
