// The packages of the client as a customer gets them: packed, installed into an empty project, and used as their READMEs say.
import assert from 'node:assert/strict';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import ts from 'typescript';
import { run } from './processes.mjs';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'platform-packages-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Each package is installed alone, into a project of its own. */
const LIBRARIES = ['contracts', 'client'];
const projectOf = (library) => join(folder, library);
const installed = (library, ...path) =>
  join(projectOf(library), 'node_modules', '@platform', library, ...path);
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

/** Runs a program in a project. Its output is the message of a failure. */
async function succeed(project, program, args) {
  const { code, output } = await run(program, args, { cwd: project, stdio: ['ignore', 'pipe', 'pipe'] });
  assert.equal(code, 0, output);
  return output;
}

/** What the examples take as given: values of the reader's own application, and those of earlier examples. */
const GIVEN = `
  import type * as platform from '@platform/client';
  declare global {
    const client: platform.PlatformClient;
    const apiKey: string, agentId: string, turnId: string, sessionId: string;
    const email: string, password: string, currentPassword: string, newPassword: string, token: string;
    const contents: platform.ContentItem[];
    const manifest: platform.ApplicationManifest, nextManifest: platform.ApplicationManifest;
    const steps: platform.Step[];
    const methods: platform.ToolMethodRequest[];
    const bytes: AsyncIterable<Uint8Array>;
    const pdf: ArrayBuffer;
    let accessToken: string | null;
    function choose(options: readonly { id: string; label: string }[]): Promise<string>;
    function openPage(url: string, signal: AbortSignal): Promise<void>;
    function notify(text: string): void;
    function showBalance(): void;
  }`;

/** The TypeScript examples of a README, in their order. */
function examplesOf(library) {
  const readme = readFileSync(installed(library, 'README.md'), 'utf8');
  return [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
}

describe('the packages of the client', { timeout: 120_000 }, () => {
  before(async () => {
    for (const library of LIBRARIES) {
      const project = projectOf(library);
      mkdirSync(project);
      writeFileSync(join(project, 'package.json'), '{ "name": "empty", "private": true }');
      await succeed(project, 'npm', ['pack', '--ignore-scripts', '--silent', join(root, 'libs', library)]);
      const [tarball] = globSync('*.tgz', { cwd: project });
      await succeed(project, 'npm', ['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`]);
    }
  });

  it('need no other package', () => {
    for (const library of LIBRARIES) {
      assert.deepEqual(globSync('node_modules/@*/*', { cwd: projectOf(library) }), [
        `node_modules/@platform/${library}`,
      ]);
    }
  });

  it('are complete: code and types for both module systems, version, license, README', () => {
    for (const library of LIBRARIES) {
      const manifest = readJson(installed(library, 'package.json'));
      assert.equal(manifest.version, readJson(join(root, 'package.json')).version);
      for (const field of ['license', 'description', 'engines']) assert.ok(manifest[field], field);
      const { import: esm, require: cjs } = manifest.exports['.'];
      for (const file of [esm.types, esm.default, cjs.types, cjs.default, manifest.main, manifest.types]) {
        assert.ok(existsSync(installed(library, file)), file);
      }
      assert.match(readFileSync(installed(library, 'README.md'), 'utf8'), /npm install/);
      const packed = globSync('**/*', { cwd: installed(library) });
      assert.deepEqual(
        packed.filter((file) => /\.spec\.|\.map$|^(src|test|reports|node_modules)/.test(file)),
        [],
      );
    }
  });

  it('can be imported and required', async () => {
    const use = (load) => `
      ${load}
      const client = new PlatformClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'pk_x', timeoutMs: 1000 });
      if (typeof client.agents.chatStream !== 'function' || OFFLINE_MODEL !== 'platform/offline') process.exit(1);
      client.agents.list().then(
        () => process.exit(1),
        (error) => process.exit(error instanceof PlatformConnectionError ? 0 : 1),
      );`;
    const names = '{ PlatformClient, PlatformConnectionError, OFFLINE_MODEL }';
    const project = projectOf('client');
    writeFileSync(join(project, 'esm.mjs'), use(`import ${names} from '@platform/client';`));
    writeFileSync(join(project, 'cjs.cjs'), use(`const ${names} = require('@platform/client');`));
    await succeed(project, process.execPath, ['esm.mjs']);
    // Without the support of newer versions for requiring ES modules.
    await succeed(project, process.execPath, ['--no-require-module', 'cjs.cjs']);
  });

  it('compile as the examples of the READMEs use them, under the strictest options', () => {
    const examples = LIBRARIES.flatMap(writeExamples);
    assert.ok(examples.length > 15, `${examples.length} examples`);
    writeFileSync(join(projectOf('client'), 'src', 'given.ts'), GIVEN);
    // Requires the package, so that its types for CommonJS are read as well.
    writeFileSync(
      join(projectOf('client'), 'src', 'required.cts'),
      `import platform = require('@platform/client');
       export const client = new platform.PlatformClient({ baseUrl: '', accessToken: 'x' });`,
    );
    for (const library of LIBRARIES) {
      compile(library, { module: 'nodenext', moduleResolution: 'nodenext' }, []);
      compile(library, { module: 'esnext', moduleResolution: 'bundler' }, ['src/required.cts']);
    }
  });
});

function writeExamples(library) {
  const src = join(projectOf(library), 'src');
  mkdirSync(src);
  return examplesOf(library).map((example, i) =>
    writeFileSync(join(src, `example-${i + 1}.ts`), `${example}\nexport {};\n`),
  );
}

/** Checks the examples and the types of the package, but not those of the browser and of Node.js, which are not ours. */
function compile(library, moduleOptions, exclude) {
  const project = projectOf(library);
  const compilerOptions = {
    ...moduleOptions,
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
    // All modules, although the package.json of the project does not say so.
    moduleDetection: 'force',
    typeRoots: [join(root, 'node_modules', '@types')],
    types: ['node'],
  };
  writeFileSync(join(project, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }');
  const config = { compilerOptions, include: ['src'], exclude };
  const { fileNames, options, errors } = ts.parseJsonConfigFileContent(config, ts.sys, project);
  const program = ts.createProgram(fileNames, options);
  const own = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(project));
  const types = own.filter(({ fileName }) => fileName.startsWith(installed(library, 'dist')));
  assert.ok(types.length > 0 && own.length > types.length);
  const problems = [
    ...errors,
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...own.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]),
  ];
  const host = {
    getCurrentDirectory: () => project,
    getCanonicalFileName: (name) => name,
    getNewLine: () => '\n',
  };
  assert.equal(ts.formatDiagnostics(problems, host), '');
}
