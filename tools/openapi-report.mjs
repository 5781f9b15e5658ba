// npm run -s openapi:report -- FILE …: imports API documents and prints one JSON line for each. Exits with 1 if a file cannot be
// read; a document that is rejected is a result.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import './swc-hook.mjs';

const { importDocument } = await import('../libs/openapi-import/src/index.ts');

for (const file of process.argv.slice(2)) {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    console.error(`${file} cannot be read: ${error.message}`);
    process.exitCode = 1;
    continue;
  }
  console.log(JSON.stringify(await report(file, text)));
}

async function report(file, text) {
  const started = performance.now();
  const line = {
    file,
    kind: null,
    title: null,
    servers: 0,
    methods: 0,
    exact: 0,
    simplified: 0,
    skipped: 0,
    unresolvedRefs: 0,
  };
  try {
    const result = await importDocument({ text, fileName: basename(file) });
    const count = (fidelity) => result.report.filter((entry) => entry.fidelity === fidelity).length;
    Object.assign(line, {
      kind: result.kind,
      title: result.title,
      servers: result.servers.length,
      methods: result.methods.length,
      exact: count('exact'),
      simplified: count('simplified'),
      skipped: count('skipped'),
      unresolvedRefs: result.unresolvedRefs.length,
    });
    return { ...line, ms: Math.round(performance.now() - started), error: null };
  } catch (error) {
    return { ...line, ms: Math.round(performance.now() - started), error: error.message };
  }
}
