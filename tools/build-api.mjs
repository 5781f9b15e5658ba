// Compiles the API with tsc and the swagger plugin, which turns DTO types and comments into the OpenAPI document.
// Runs in apps/api: node ../../tools/build-api.mjs. With --with-type-errors, type errors are ignored.
import { cpSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { before } from '@nestjs/swagger/plugin';
import ts from 'typescript';

const configHost = {
  ...ts.sys,
  onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
    throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
  },
};
const config = ts.getParsedCommandLineOfConfigFile('tsconfig.build.json', {}, configHost);
rmSync(config.options.outDir, { recursive: true, force: true });

const ignoresErrors = process.argv.includes('--with-type-errors');
const program = ts.createProgram({
  rootNames: config.fileNames,
  options: { ...config.options, noEmitOnError: !ignoresErrors },
});
const swagger = before(
  {
    introspectComments: true,
    classValidatorShim: true,
    dtoFileNameSuffix: ['.dto.ts', '.schema.ts', '.action.ts'],
    controllerFileNameSuffix: ['.controller.ts'],
    esmCompatible: true,
  },
  program,
);
const emitted = program.emit(undefined, undefined, undefined, false, { before: [swagger] });
const problems = ignoresErrors
  ? []
  : [...config.errors, ...ts.getPreEmitDiagnostics(program), ...emitted.diagnostics];
if (problems.length > 0) {
  const format = {
    getCurrentDirectory: () => process.cwd(),
    getNewLine: () => '\n',
    getCanonicalFileName: (file) => file,
  };
  console.error(ts.formatDiagnosticsWithColorAndContext(problems, format));
  process.exit(1);
}
// Read at run time, so the compiler does not know of them.
cpSync('src/seed/manifests', 'dist/seed/manifests', { recursive: true });
for (const file of ['response-examples.json', 'guides.md', 'viewer-page.js'])
  cpSync(join('src/api-document', file), join('dist/api-document', file));
// A package of developers: its own dependencies are part of the file.
const rapidoc = dirname(dirname(fileURLToPath(import.meta.resolve('rapidoc'))));
for (const file of ['dist/rapidoc-min.js', 'dist/rapidoc-min.js.LICENSE.txt', 'LICENSE.txt']) {
  cpSync(join(rapidoc, file), join('dist/api-document/viewer', basename(file)));
}
