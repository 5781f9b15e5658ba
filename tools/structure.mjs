// The rules of the source tree that ESLint cannot see, as functions over files `{ path, text }` with paths from the
// root of the repository. structure.test.mjs runs them over the repository and over planted violations.
import { posix } from 'node:path';
import ts from 'typescript';

const API = 'apps/api/src/';
const MAX_DEPENDENCIES = 6;
/** A module's own files: other modules use its services and pure functions. */
const PRIVATE = /\.(entity|store|dto)\.ts$/;
const STATEMENT = /^\s*(?:--[^\n]*\n\s*)*(?:select|insert\s+into|update|delete\s+from|with)\s/i;
const NAMED_TABLE = /\b(?:from|join|into|update|using)\s+(?:only\s+)?([a-z_]+)/gi;

/** Import cycles, each as the files it passes; type-only imports count. */
export function importCycles(files) {
  const graph = new Map(files.map((file) => [file.path, importsOf(file)]));
  const cycles = [];
  const state = new Map();
  const visit = (path, trail) => {
    if (state.get(path) === 'done' || !graph.has(path)) return;
    if (state.get(path) === 'open') {
      cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
      return;
    }
    state.set(path, 'open');
    for (const next of graph.get(path)) visit(next, [...trail, path]);
    state.set(path, 'done');
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
}

/**
 * Imports of another module's entities, stores, and DTOs. Those of infra/ belong to no domain, and the files beside the
 * modules put everything together.
 */
export function privateImports(files) {
  return apiFiles(files)
    .filter(({ path }) => !moduleOf(path).endsWith('.ts'))
    .flatMap((file) =>
      importsOf(file)
        .filter((imported) => PRIVATE.test(imported) && imported.startsWith(API))
        .filter((imported) => ![moduleOf(file.path), 'infra'].includes(moduleOf(imported)))
        .map((imported) => `${file.path} imports ${imported}`),
    );
}

/** SQL that names a table whose entity stands in another module. */
export function foreignTables(files) {
  const owners = tableOwners(files);
  return apiFiles(files).flatMap((file) =>
    statementsOf(file).flatMap((statement) =>
      tablesIn(statement)
        .filter((table) => owners.has(table) && owners.get(table) !== moduleOf(file.path))
        .map((table) => `${file.path} names ${table}, a table of ${owners.get(table)}/`),
    ),
  );
}

/** SQL that names a table outside of stores. */
export function strayStatements(files) {
  const owners = tableOwners(files);
  return apiFiles(files)
    .filter(({ path }) => !path.endsWith('.store.ts'))
    .flatMap((file) =>
      statementsOf(file)
        .filter((statement) => tablesIn(statement).some((table) => owners.has(table)))
        .map((statement) => `${file.path}: ${firstLine(statement)}`),
    );
}

/** Purges in batches that compare a time with a volatile function, which no index serves. */
export function unindexedPurges(files) {
  return apiFiles(files).flatMap((file) =>
    statementsOf(file)
      .filter((statement) => /^\s*delete\b/i.test(statement) && /\blimit\b/i.test(statement))
      .filter((statement) => /[<>]=?\s*clock_timestamp\(\)/i.test(statement))
      .map((statement) => `${file.path}: ${firstLine(statement)}`),
  );
}

/** Injected classes with more dependencies than a reader can keep in mind. */
export function crowdedClasses(files) {
  return apiFiles(files).flatMap((file) =>
    classesOf(parse(file)).flatMap((node) => {
      const count = node.members.find(ts.isConstructorDeclaration)?.parameters.length ?? 0;
      return isInjected(node) && count > MAX_DEPENDENCIES
        ? [`${file.path}: ${node.name?.text} has ${count} dependencies`]
        : [];
    }),
  );
}

/** Those of the libraries that no entry imports at run time, directly or through other files. */
export function unusedLibraries(files, entries, libraries) {
  const sources = new Map(files.map((file) => [file.path, file]));
  const used = new Set();
  const seen = new Set();
  const open = [...entries];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const file = sources.get(path);
    if (file === undefined || seen.has(path)) continue;
    seen.add(path);
    for (const name of runtimeImportsOf(file)) {
      const [, own] = /^@platform\/([a-z-]+)$/.exec(name) ?? [];
      if (name.startsWith('.')) open.push(posix.join(posix.dirname(path), name));
      else if (own) open.push(`libs/${own}/src/index.ts`);
      else used.add(/^(?:@[^/]+\/)?[^/]+/.exec(name)[0]);
    }
  }
  return libraries.filter((library) => !used.has(library));
}

/** The module that owns each table, read from the entities. */
export function tableOwners(files) {
  const owners = new Map();
  for (const file of files) {
    if (!file.path.endsWith('.entity.ts')) continue;
    for (const [, table] of file.text.matchAll(/@Entity\(\s*(?:\{\s*name:\s*)?'([a-z_]+)'/g)) {
      owners.set(table, moduleOf(file.path));
    }
  }
  return owners;
}

/** Modules of the API: migrations are the history of the schema, and specs may look at anything. */
function apiFiles(files) {
  return files.filter(({ path }) => path.startsWith(API) && !path.startsWith(`${API}migrations/`));
}

function moduleOf(path) {
  return path.slice(API.length).split('/')[0];
}

function importsOf(file) {
  return ts
    .preProcessFile(file.text, true, true)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => posix.join(posix.dirname(file.path), name));
}

/** What is imported besides types: at the top, by `import()`, or as the program of a worker. */
function runtimeImportsOf(file) {
  const found = [];
  const visit = (node) => {
    const specifier = runtimeSpecifier(node);
    if (specifier !== undefined && ts.isStringLiteralLike(specifier))
      found.push(specifier.text.replace(/\?.*$/, ''));
    ts.forEachChild(node, visit);
  };
  visit(parse(file));
  return found;
}

function runtimeSpecifier(node) {
  if (ts.isImportDeclaration(node)) return isOnlyTypes(node.importClause) ? undefined : node.moduleSpecifier;
  if (ts.isExportDeclaration(node)) {
    const names = node.exportClause?.elements;
    return node.isTypeOnly || names?.every(({ isTypeOnly }) => isTypeOnly) ? undefined : node.moduleSpecifier;
  }
  const isDynamic = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  const isWorker = ts.isNewExpression(node) && node.expression.getText() === 'URL';
  return isDynamic || isWorker ? node.arguments?.[0] : undefined;
}

function isOnlyTypes(clause) {
  if (clause === undefined || clause.name !== undefined) return clause?.isTypeOnly ?? false;
  const names = clause.namedBindings?.elements;
  return clause.isTypeOnly || (names?.every(({ isTypeOnly }) => isTypeOnly) ?? false);
}

function tablesIn(statement) {
  return [...statement.matchAll(NAMED_TABLE)].map(([, table]) => table.toLowerCase());
}

/** String and template literals that begin like a statement; what is interpolated is left out. */
function statementsOf(file) {
  const found = [];
  const visit = (node) => {
    const text = literalText(node);
    if (text !== null) {
      if (STATEMENT.test(text)) found.push(text);
      return;
    }
    ts.forEachChild(node, visit);
  };
  visit(parse(file));
  return found;
}

function literalText(node) {
  if (ts.isImportDeclaration(node)) return '';
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return node.head.text + node.templateSpans.map(({ literal }) => ` ${literal.text}`).join('');
}

function classesOf(source) {
  return source.statements.filter(ts.isClassDeclaration);
}

function isInjected(node) {
  return (ts.getDecorators(node) ?? []).some((decorator) =>
    /^@(Injectable|Controller)\b/.test(decorator.getText()),
  );
}

function parse({ path, text }) {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

function firstLine(text) {
  return text.trim().split('\n')[0];
}
