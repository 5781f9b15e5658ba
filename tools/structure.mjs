// The rules of the source tree that ESLint cannot see, as functions over files `{ path, text }` with paths from the
// root of the repository. structure.test.mjs runs them over the repository and over planted violations.
import { posix } from 'node:path';
import ts from 'typescript';

const API = 'apps/api/src/';
const MAX_DEPENDENCIES = 6;
const MAX_FILES = 20;
/** Histories, which only grow. */
const GROWING = /\/(?:migrations|locales)$/;
/** What an injectable can be, by the suffix of its file. A file without one is pure. */
const INJECTABLES = [
  'action',
  'controller',
  'filter',
  'guard',
  'interceptor',
  'middleware',
  'module',
  'pipe',
  'registry',
  'service',
  'worker',
];
/** A module's own files: other modules use its services and pure functions. */
const PRIVATE = /\.(entity|store|dto)\.ts$/;
const STATEMENT =
  /^[\s(]*(?:--[^\n]*\n[\s(]*)*(?:select|insert\s+into|update|delete\s+from|with|truncate|lock(?:\s+table)?|table|merge\s+into|copy)\s/i;
/** A name, with or without its schema and quotation marks. */
const NAME = '(?:"?public"?\\.)?"?([a-z_]+)"?';
const NAMED_TABLE = new RegExp(
  `\\b(?:from|join|into|update|using|copy|(?:truncate|lock)(?:\\s+table)?|table)[\\s(]+(?:(?:only|lateral)[\\s(]+)?${NAME}`,
  'gi',
);
/** What follows a table in a list: an alias, if there is one, and a comma. */
const NEXT_IN_LIST = new RegExp(
  `^(?:\\s+(?:as\\s+)?(?!where\\b|on\\b|join\\b|set\\b)[a-z_]+)?\\s*,\\s*(?:only\\s+)?${NAME}`,
  'i',
);
/** Only constants are followed: a local variable has one name in many files. */
const CONSTANT = /^[A-Z][A-Z0-9_]*$/;
/** Methods of TypeORM that take the name of a table or an entity. */
const BY_NAME =
  /^(?:get\w*Repository|createQueryBuilder|from|into|update|delete|insert|upsert|save|remove|clear|count\w*|exists\w*|find\w*|\w*[jJ]oin\w*)$/;

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

/** SQL and calls of TypeORM that name a table whose entity stands in another module. */
export function foreignTables(files) {
  const owners = tableOwners(files);
  const entities = entityTables(files);
  const constants = textConstants(files);
  return apiFiles(files).flatMap((file) => {
    const found = new Set([...tablesNamedBySql(file, constants), ...tablesNamedByCalls(file, entities)]);
    return [...found]
      .filter((table) => owners.has(table) && owners.get(table) !== moduleOf(file.path))
      .map((table) => `${file.path} names ${table}, a table of ${owners.get(table)}/`);
  });
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

/** Columns that a statement names in camelCase by hand, which `rows()` does for all of them. */
export function quotedAliases(files) {
  return apiFiles(files)
    .filter(({ path }) => path.endsWith('.store.ts'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/ as "[a-z]+[A-Z]\w*"/g)].map(([alias]) => `${path}:${alias}`),
    );
}

/** Folders with more files than a reader can keep in mind. Specs do not count. */
export function crowdedFolders(files) {
  const counts = new Map();
  for (const { path } of files) {
    const folder = posix.dirname(path);
    if (!GROWING.test(folder)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MAX_FILES)
    .map(([folder, count]) => `${folder} has ${count} files`);
}

/** Modules past twenty files whose folders have no written order, and folders that are missing in it. */
export function unorderedFolders(files, folderOrder) {
  const byModule = Map.groupBy(apiFiles(files), ({ path }) => moduleOf(path));
  return [...byModule].flatMap(([module, own]) => {
    const folders = new Set(own.map(({ path }) => path.slice(API.length).split('/')).flatMap(folderIn));
    if (own.length <= MAX_FILES && folderOrder[module] === undefined) return [];
    const missing = [...folders].filter((folder) => !folderOrder[module]?.includes(folder));
    return missing.map((folder) => `${module}/${folder} has no place in tools/module-order.mjs`);
  });
}

function folderIn([, ...rest]) {
  return rest.length > 1 ? [rest[0]] : [];
}

/** Injectables in files without a suffix that says what they are, and services whose name differs from their file's. */
export function misnamedInjectables(files) {
  return apiFiles(files).flatMap((file) => {
    const [name, suffix] = posix.basename(file.path, '.ts').split('.');
    return classesOf(parse(file))
      .filter(isInjected)
      .flatMap((node) => {
        const found = node.name?.text ?? '';
        if (!INJECTABLES.includes(suffix))
          return [`${file.path}: ${found} is injectable; the file has no suffix`];
        const wanted = pascalCase(`${name}-${suffix}`);
        return suffix === 'service' && found !== wanted ? [`${file.path}: ${found} is not ${wanted}`] : [];
      });
  });
}

function pascalCase(name) {
  return name.replace(/(?:^|-)([a-z])/g, (_, letter) => letter.toUpperCase());
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

/** Where the status of a turn changes: the store with the statements, and the only file that uses it. */
const TURN_STATUS = `${API}turns/transitions/turn-status.store.ts`;
const TURN_TRANSITIONS = `${API}turns/transitions/turn-transitions.service.ts`;
const CHANGED_STATUS = /\bupdate\s+turn\s(?:(?!\bwhere\b).)*?\bstatus\s*=/is;

/** Changes of a turn's status that its observers would miss. */
export function unobservedTransitions(files) {
  return apiFiles(files)
    .filter(({ path }) => ![TURN_TRANSITIONS, TURN_STATUS].includes(path) && !path.includes('/migrations/'))
    .flatMap((file) => {
      const changes = statementsOf(file).filter((statement) => CHANGED_STATUS.test(statement));
      const imported = importsOf(file).filter((path) => path === TURN_STATUS);
      return [
        ...changes.map((statement) => `${file.path}: ${firstLine(statement)}`),
        ...imported.map((path) => `${file.path} imports ${path}`),
      ];
    });
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
  const found = [];
  for (const match of statement.matchAll(NAMED_TABLE)) {
    found.push(match[1].toLowerCase());
    let rest = statement.slice(match.index + match[0].length);
    for (let next = NEXT_IN_LIST.exec(rest); next !== null; next = NEXT_IN_LIST.exec(rest)) {
      found.push(next[1].toLowerCase());
      rest = rest.slice(next[0].length);
    }
  }
  return found;
}

/** In a store, every text is looked at, because statements are put together from fragments. */
function tablesNamedBySql(file, constants) {
  const isStore = file.path.endsWith('.store.ts');
  return textsOf(file, constants)
    .filter((text) => isStore || STATEMENT.test(text))
    .flatMap(tablesIn);
}

/** `getRepository('agent')`, `from('AgentEntity', 'a')`, and the like. */
function tablesNamedByCalls(file, entities) {
  const found = [];
  const visit = (node) => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const [first] = node.arguments;
      const isNamed = first !== undefined && ts.isStringLiteralLike(first);
      if (isNamed && BY_NAME.test(node.expression.name.text))
        found.push(entities.get(first.text) ?? first.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(parse(file));
  return found;
}

/** The table of each entity, by the name of its class. */
function entityTables(files) {
  return new Map(
    files
      .filter(({ path }) => path.endsWith('.entity.ts'))
      .flatMap(({ text }) => [
        ...text.matchAll(/@Entity\(\s*(?:\{\s*name:\s*)?'([a-z_]+)'[\s\S]*?\bclass (\w+)/g),
      ])
      .map(([, table, name]) => [name, table]),
  );
}

/** The constants with a text, by name. If two files use one name, both texts count. */
function textConstants(files) {
  const found = new Map();
  for (const file of apiFiles(files)) {
    const visit = (node) => {
      if (ts.isVariableDeclaration(node) && CONSTANT.test(node.name.getText()) && node.initializer) {
        const text = foldedText(node.initializer, new Map());
        const name = node.name.getText();
        if (text !== null) found.set(name, `${found.get(name) ?? ''} ${text}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(parse(file));
  }
  return found;
}

/** String and template literals that begin like a statement; what is interpolated is left out. */
function statementsOf(file) {
  return textsOf(file, new Map()).filter((text) => STATEMENT.test(text));
}

/** The texts of a file, each put together from its literals and from the constants that it names. */
function textsOf(file, constants) {
  const found = [];
  const visit = (node) => {
    const text = foldedText(node, constants);
    if (text !== null) found.push(text);
    if (text === null || ts.isTemplateExpression(node)) ts.forEachChild(node, visit);
  };
  visit(parse(file));
  return found;
}

function foldedText(node, constants) {
  if (ts.isImportDeclaration(node)) return '';
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map(
      ({ expression, literal }) => ` ${textOf(expression, constants)} ${literal.text}`,
    );
    return node.head.text + spans.join('');
  }
  const isSum = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken;
  if (!isSum) return null;
  const [left, right] = [foldedText(node.left, constants), foldedText(node.right, constants)];
  if (left === null && right === null) return null;
  return (left ?? textOf(node.left, constants)) + (right ?? textOf(node.right, constants));
}

function textOf(expression, constants) {
  if (ts.isIdentifier(expression)) return constants.get(expression.text) ?? '';
  return foldedText(expression, constants) ?? '';
}

function classesOf(source) {
  return source.statements.filter(ts.isClassDeclaration);
}

function isInjected(node) {
  return (ts.getDecorators(node) ?? []).some((decorator) =>
    /^@(Injectable|Controller)\b/.test(decorator.getText()),
  );
}

/** Several rules read the same file. */
const parsed = new WeakMap();

function parse(file) {
  const known = parsed.get(file);
  if (known !== undefined) return known;
  const source = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true);
  parsed.set(file, source);
  return source;
}

function firstLine(text) {
  return text.trim().split('\n')[0];
}
