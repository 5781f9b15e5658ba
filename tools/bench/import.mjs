// npm run bench:import: reading and converting API documents, compared with the bare reference parser and with Scalar's parser. The
// documents are those of OPENAPI_CORPUS (default: ../shared/openapi-corpus beside the repository). `-- --quick` shortens it,
// `-- FILE …` measures only these.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { $RefParser } from '@apidevtools/json-schema-ref-parser';
import { dereference } from '@scalar/openapi-parser';
import '../swc-hook.mjs';

const { importDocument } = await import('../../libs/openapi-import/src/index.ts');
const { parseDocument } = await import('../../libs/openapi-import/src/parse-document.ts');

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const ROUNDS = values.quick ? 5 : 21;
const folder = process.env.OPENAPI_CORPUS ?? resolve(import.meta.dirname, '../../../shared/openapi-corpus');
const files =
  positionals.length > 0
    ? positionals
    : existsSync(folder)
      ? readdirSync(folder)
          .filter((name) => /\.(json|ya?ml)$/.test(name) && !name.startsWith('neg-'))
          .map((name) => join(folder, name))
      : [];
if (files.length === 0) {
  console.error('There are no documents to measure: set OPENAPI_CORPUS to their folder');
  process.exit(1);
}

const documents = files.map((file) => ({ name: basename(file), text: readFileSync(file, 'utf8') }));
const [largest] = [...documents].sort((a, b) => b.text.length - a.text.length);
documents.push({ name: `10 × ${largest.name}`, text: repeat(largest.text, 10) });

const measured = [];
for (const { name, text } of documents)
  measured.push({ name, length: text.length, ...(await measure(text)) });
print(measured);

/** The fastest round of each way: whatever else the machine does only makes rounds slower. The ways take turns. */
async function measure(text) {
  const ways = {
    ours: () => importDocument({ text }),
    parse: () => parseDocument({ text }),
    bare: () => resolveReferences(parseDocument({ text }).root),
    scalar: () => dereference(text),
  };
  const times = Object.fromEntries(Object.keys(ways).map((way) => [way, []]));
  const rounds = text.length > 4_000_000 ? 3 : ROUNDS;
  for (let round = -1; round < rounds; round++) {
    for (const [way, run] of Object.entries(ways)) {
      const started = performance.now();
      await run();
      // The first round warms up.
      if (round >= 0) times[way].push(performance.now() - started);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([way, list]) => [way, Math.min(...list)]));
}

async function resolveReferences(root) {
  const options = { resolve: { external: false }, continueOnError: true, mutateInputSchema: false };
  try {
    await new $RefParser().dereference(root, options);
  } catch {
    // Broken references: everything else is resolved.
  }
}

/** A document with the paths and the schemas of another one several times, each with names of its own. */
function repeat(text, times) {
  const { root } = parseDocument({ text });
  const copies = Array.from({ length: times }, (_, i) =>
    JSON.parse(JSON.stringify(root.components ?? {}).replaceAll('"#/components/', `"#/x-copies/${i}/`)),
  );
  const paths = Array.from({ length: times }, (_, i) => {
    const moved = JSON.parse(JSON.stringify(root.paths).replaceAll('"#/components/', `"#/x-copies/${i}/`));
    return Object.entries(moved).map(([path, item]) => [`/copy${i}${path}`, item]);
  });
  return JSON.stringify({ ...root, 'x-copies': copies, paths: Object.fromEntries(paths.flat()) });
}

function print(rows) {
  const corpus = rows.slice(0, -1);
  const sum = (key) => corpus.reduce((total, row) => total + row[key], 0);
  const total = {
    name: 'the corpus',
    ...Object.fromEntries(['length', 'ours', 'parse', 'bare', 'scalar'].map((key) => [key, sum(key)])),
  };
  console.log('Milliseconds per document, including its parsing; the fastest round.');
  console.log(
    `${'document'.padEnd(44)}${['kB', 'ours', 'bare', 'scalar', 'ours/bare', 'parsing'].map((title) => title.padStart(11)).join('')}`,
  );
  for (const { name, length, ours, bare, scalar, parse } of [...rows, total]) {
    const figures = [length / 1_000, ours, bare, scalar, ours / bare, parse];
    console.log(
      `${name.slice(0, 43).padEnd(44)}${figures.map((figure) => figure.toFixed(2).padStart(11)).join('')}`,
    );
  }
  const targets = [total, ...corpus.filter(({ name }) => name === largest.name)];
  for (const { name, ours, bare } of targets) {
    console.log(`${ours < bare ? 'met' : 'MISSED'}: ${name} in less time than the bare reference parser`);
  }
}
