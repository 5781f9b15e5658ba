import type { MethodBinding, ToolMethod, ToolMethodChange, ToolMethodRequest } from '@platform/contracts';
import { listBreakingChanges, type BreakingChange } from './breaking-changes.ts';
import type { OpenDocument } from './import-document.ts';
import { isObject, type JsonObject } from './json.ts';
import { mergeValues, type Difference, type Preference } from './merge-values.ts';
import { uniqueName } from './names.ts';
import type { ImportedMethod, OperationSummary, PortSchema } from './types.ts';

/** What an import decides about a method. Its name, cache, retry, and timeout always stay. */
interface Definition {
  description: string;
  httpMethod: string;
  path: string;
  serverUrl?: string | null | undefined;
  inputSchema: PortSchema;
  outputSchema: PortSchema;
  bindings: MethodBinding[];
  bodyMediaType?: string | null | undefined;
  encoding?: Record<string, unknown> | null | undefined;
  acts: boolean;
  deprecated: boolean;
}

/** A method of a tool, with the last import of it. */
export type StoredMethod = Definition & Pick<ToolMethod, 'name' | 'operationKey' | 'imported'>;

/** How a method of a tool compares with a newer document. */
export interface MethodComparison {
  kind: 'added' | 'removed' | 'changed' | 'unchanged';
  /** The name in the tool. For an added method, the name that it gets there. */
  name: string;
  /** As in the document; as in the tool if the document does not have the method anymore. */
  httpMethod: string;
  path: string;
  operationKey: string;
  /** What the user and the document have changed since the last import. */
  differences: Difference[];
  breaking: BreakingChange[];
  /** Whose value is suggested where both have changed the same. */
  preference: Preference;
}

/** Changes of the methods of a tool, as one request. */
export interface MethodChanges {
  add: ToolMethodRequest[];
  update: ToolMethodChange[];
  /** Names. */
  remove: string[];
}

/** A change to apply, by the name in the comparison. */
export interface MergeDecision {
  name: string;
  preference: Preference;
}

/** Changes of input that make calls fail. */
const INPUT_CHANGES: readonly BreakingChange['kind'][] = [
  'endpoint',
  'required',
  'removed',
  'type',
  'values',
];

/** What a newer document means for the methods of a tool. */
export class Reimport {
  /**
   * First the methods of the tool, then those that only the document has. Methods that never came from a document are left
   * out unless the document has them.
   */
  readonly comparisons: MethodComparison[];
  private readonly stored: Map<string, StoredMethod>;
  /** Operations by the names of their methods in the tool. */
  private readonly matched = new Map<string, OperationSummary>();
  private readonly added = new Map<string, OperationSummary>();

  constructor(
    private readonly document: OpenDocument,
    methods: readonly StoredMethod[],
  ) {
    const { operations } = document;
    this.stored = new Map(methods.map((method) => [method.name, method]));
    const found = matchMethods(methods, operations);
    for (const [{ name }, operation] of found) this.matched.set(name, operation);
    const matched = new Set(found.values());
    const names = new Set(methods.map(({ name }) => name.toLowerCase()));
    for (const operation of operations) {
      if (!matched.has(operation)) this.added.set(uniqueName(operation.name, names), operation);
    }
    this.comparisons = [
      ...methods.flatMap((method) => this.compare(method) ?? []),
      ...[...this.added].map(([name, operation]) => toComparison(operation, name, 'added')),
    ];
  }

  /** The changes that were decided for. Others are not made, and are found again the next time. */
  merge(decisions: readonly MergeDecision[]): MethodChanges {
    const changes: MethodChanges = { add: [], update: [], remove: [] };
    for (const { name, preference } of decisions) {
      const [stored, operation] = [this.stored.get(name), this.matched.get(name) ?? this.added.get(name)];
      const incoming = operation && this.convert(operation, stored);
      if (stored === undefined) {
        if (incoming) changes.add.push({ ...toMethodRequest(incoming), name });
      } else if (operation === undefined) changes.remove.push(name);
      else if (incoming) changes.update.push({ name, change: mergeMethod(stored, incoming, preference) });
    }
    return changes;
  }

  private compare(stored: StoredMethod): MethodComparison | null {
    const { name } = stored;
    const operation = this.matched.get(name);
    if (operation === undefined) {
      return readBase(stored) === null ? null : toComparison(stored, name, 'removed');
    }
    const incoming = this.convert(operation, stored);
    // The report of the document says why it cannot be converted.
    if (incoming === null) return toComparison(operation, name, 'unchanged');
    const base = readBase(stored);
    const { differences } = mergeDefinitions(stored, incoming, 'edit');
    const breaking = listBreakingChanges(base ?? stored, incoming);
    const isChanged = differences.some(({ origin }) => origin !== 'edit');
    const hasConflict = differences.some(({ origin }) => origin === 'conflict');
    const isInputBroken = breaking.some(({ kind }) => INPUT_CHANGES.includes(kind));
    return {
      ...toComparison(operation, name, isChanged ? 'changed' : 'unchanged'),
      differences,
      breaking,
      // An edit of what the API does not accept anymore would make every call fail.
      preference: hasConflict && isInputBroken ? 'document' : 'edit',
    };
  }

  /** With the media type that was chosen for the method, as long as the document has it. */
  private convert(
    { path, httpMethod }: OperationSummary,
    { bodyMediaType }: Partial<StoredMethod> = {},
  ): ImportedMethod | null {
    return this.document.convert(path, httpMethod, bodyMediaType ?? undefined).method;
  }
}

/** The request for a method, with the method itself as the base of the next import. */
export function toMethodRequest(method: ImportedMethod): ToolMethodRequest {
  const { tags: _, ...request } = method;
  return { ...request, imported: { ...method } };
}

/** The change that brings a method up to the document and keeps the user's edits. */
function mergeMethod(
  stored: StoredMethod,
  incoming: ImportedMethod,
  preference: Preference,
): ToolMethodChange['change'] {
  const { value } = mergeDefinitions(stored, incoming, preference);
  const { serverUrl = null, encoding = null, bodyMediaType = null, bindings, ...rest } = value as Comparable;
  return {
    ...rest,
    serverUrl,
    encoding,
    bodyMediaType,
    bindings: listBindings(bindings, rest.inputSchema, stored.bindings),
    operationKey: incoming.operationKey,
    imported: { ...incoming },
  };
}

/** A definition as it is merged: bindings by port, and without what is null. */
type Comparable = Omit<Definition, 'bindings'> & { bindings: Record<string, MethodBinding> };

function toComparable(definition: Definition): Comparable {
  const { description, httpMethod, path, inputSchema, outputSchema, acts, deprecated } = definition;
  const { serverUrl, encoding, bodyMediaType, bindings } = definition;
  return {
    description,
    httpMethod,
    path,
    inputSchema,
    outputSchema,
    acts,
    deprecated,
    ...(serverUrl != null && { serverUrl }),
    ...(encoding != null && { encoding }),
    ...(bodyMediaType != null && { bodyMediaType }),
    bindings: Object.fromEntries(bindings.map((binding) => [binding.port, binding])),
  };
}

/** The merged bindings, and the former ones of ports that an edit keeps although the document has dropped them. */
function listBindings(
  merged: Record<string, MethodBinding>,
  inputSchema: PortSchema,
  former: readonly MethodBinding[],
): MethodBinding[] {
  const { properties } = inputSchema;
  const isKept = ({ port }: MethodBinding) =>
    isObject(properties) && Object.hasOwn(properties, port) && !Object.hasOwn(merged, port);
  return [...Object.values(merged), ...former.filter(isKept)];
}

function mergeDefinitions(stored: StoredMethod, incoming: ImportedMethod, preference: Preference) {
  const base = readBase(stored);
  return mergeValues(
    base === null ? undefined : toComparable(base),
    toComparable(stored),
    toComparable(incoming),
    preference,
  );
}

function toComparison(
  { httpMethod, path, operationKey }: StoredMethod | OperationSummary,
  name: string,
  kind: MethodComparison['kind'],
): MethodComparison {
  return { kind, name, httpMethod, path, operationKey, differences: [], breaking: [], preference: 'edit' };
}

/** Finds the methods by verb and path, then by their former names, then by their paths with other variable names. */
function matchMethods(
  stored: readonly StoredMethod[],
  operations: readonly OperationSummary[],
): Map<StoredMethod, OperationSummary> {
  const found = new Map<StoredMethod, OperationSummary>();
  for (const { ofStored, ofOperation } of KEYS) {
    const taken = new Set(found.values());
    const open = new Map(
      operations.filter((one) => !taken.has(one)).map((operation) => [ofOperation(operation), operation]),
    );
    for (const method of stored) {
      const key = ofStored(method);
      const match = key === null || found.has(method) ? undefined : open.get(key);
      if (match !== undefined) found.set(method, match);
    }
  }
  return found;
}

interface Key {
  ofOperation: (operation: OperationSummary) => string;
  ofStored: (method: StoredMethod) => string | null;
}

const KEYS: readonly Key[] = [
  { ofOperation: ({ operationKey }) => operationKey, ofStored: ({ operationKey }) => operationKey },
  {
    ofOperation: ({ name }) => name,
    ofStored: ({ imported }) => (typeof imported?.name === 'string' ? imported.name : null),
  },
  { ofOperation: shapeOf, ofStored: (method) => (method.imported === null ? null : shapeOf(method)) },
];

/** `GET /pets/{}` for `GET /pets/{id}`. */
function shapeOf({ httpMethod, path }: { httpMethod: string; path: string }): string {
  return `${httpMethod.toUpperCase()} ${path.replace(/\{[^{}]*\}/g, '{}')}`;
}

/** The last import of a method; null if there was none, or if it cannot be read. */
function readBase({ imported }: StoredMethod): Definition | null {
  return isDefinition(imported) ? imported : null;
}

/** The service stores whatever a client calls the last import. */
function isDefinition(value: unknown): value is Definition & JsonObject {
  return (
    isObject(value) &&
    ['description', 'httpMethod', 'path'].every((key) => typeof value[key] === 'string') &&
    isObject(value.inputSchema) &&
    isObject(value.outputSchema) &&
    Array.isArray(value.bindings) &&
    value.bindings.every((binding) => isObject(binding) && typeof binding.port === 'string')
  );
}
