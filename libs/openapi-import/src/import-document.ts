import { bundleParts } from './bundle-parts.ts';
import { Copies } from './fit-method.ts';
import { convertOperation, type DocumentContext } from './convert-method.ts';
import type { JsonObject } from './json.ts';
import { listOperations, type Operation, type SkippedOperation } from './operations.ts';
import { parseDocument } from './parse-document.ts';
import type { PostmanDocument } from './postman/postman-document.ts';
import { MarkedSchemas } from './ports.ts';
import { References } from './references.ts';
import { Sizes } from './measure.ts';
import { FinishedSchemas } from './schemas/schema-converter.ts';
import { listServers, titleOf } from './servers.ts';
import {
  ImportError,
  type ImportedMethod,
  type ImportedServer,
  type ImportResult,
  type ImportSource,
  type OperationSummary,
  type ReportEntry,
  type ReportReason,
  type SourceKind,
} from './types.ts';

/** The most tools that models accept. */
const MAX_MODEL_TOOLS = 128;

/** A document whose operations are listed and converted on demand. */
export class OpenDocument {
  readonly kind: SourceKind;
  readonly title: string;
  readonly version: string;
  readonly servers: ImportedServer[];
  private readonly found: Operation[];
  private readonly byPlace: Map<string, Operation>;
  private readonly skipped: SkippedOperation[];

  private constructor(
    private readonly context: DocumentContext,
    /** Sentences about the parts of the document that could not be loaded, or converted. */
    readonly partProblems: string[],
    collection?: PostmanDocument,
  ) {
    const { root, kind, references, documentUrl } = context;
    const { operations, skipped } = listOperations(root, references);
    if (operations.length === 0) throw new ImportError(noOperations(root, skipped));
    this.kind = collection === undefined ? kind : 'postman';
    const { title, version } = titleOf(root);
    this.title = title;
    this.version = version;
    this.servers = listServers(root, kind, documentUrl);
    this.found = operations;
    this.byPlace = new Map(operations.map((operation) => [placeOf(operation), operation]));
    this.skipped = [...(collection?.skipped ?? []), ...skipped];
  }

  /** Throws an ImportError with a sentence for the user if the text is not a document with operations. */
  static async parse(source: ImportSource): Promise<OpenDocument> {
    const { kind, root, collection } = parseDocument(source);
    const problems = source.parts === undefined ? [] : await bundleParts(root, source.parts);
    const references = await References.of(root, kind);
    const paths = references.deref(root.paths);
    // The paths can be a file of their own.
    if (paths !== undefined) root.paths = paths;
    const context = {
      kind,
      root,
      references,
      documentUrl: source.documentUrl,
      finished: new FinishedSchemas(),
      sizes: new Sizes(),
      marked: new MarkedSchemas(),
      copies: new Copies(),
      lost: collection?.lost ?? new Map<object, ReportReason[]>(),
    };
    return new OpenDocument(context, [...(collection?.notes ?? []), ...problems], collection);
  }

  /** The operations in the order of the document. */
  get operations(): OperationSummary[] {
    return this.found.map(({ operationKey, name, httpMethod, path, summary, tags, deprecated }) => ({
      operationKey,
      name,
      httpMethod,
      path,
      summary,
      tags,
      deprecated,
    }));
  }

  /** The operations that cannot be imported, with the reasons. */
  get skippedReport(): ReportEntry[] {
    return this.skipped.map(({ operationKey, pointer, reason }) =>
      skippedEntry(operationKey, pointer, reason),
    );
  }

  /** References that could not be resolved so far. */
  get unresolvedRefs(): string[] {
    return [...this.context.references.unresolved];
  }

  /** Sentences about the entire document. */
  get warnings(): string[] {
    return this.found.length > MAX_MODEL_TOOLS
      ? [
          `The document has ${this.found.length} methods. Models accept at most ${MAX_MODEL_TOOLS} tools: choose those that agents need`,
        ]
      : [];
  }

  /**
   * Converts one operation. `method` is null if it cannot be converted; the report says why. `mediaType`: that of its
   * body, if it was chosen among those of the report.
   */
  convert(
    path: string,
    httpMethod: string,
    mediaType?: string,
  ): { method: ImportedMethod | null; report: ReportEntry } {
    const operation = this.byPlace.get(placeOf({ path, httpMethod }));
    if (operation === undefined)
      throw new ImportError(`The document has no ${httpMethod.toUpperCase()} ${path}`);
    return this.convertFound(operation, mediaType);
  }

  /** Converts all operations. */
  convertAll(): { methods: ImportedMethod[]; report: ReportEntry[] } {
    const converted = this.found.map((operation) => this.convertFound(operation));
    return {
      methods: converted.flatMap(({ method }) => method ?? []),
      report: [...converted.map(({ report }) => report), ...this.skippedReport],
    };
  }

  /** A failure concerns one operation only. */
  private convertFound(
    operation: Operation,
    mediaType?: string,
  ): { method: ImportedMethod | null; report: ReportEntry } {
    try {
      return convertOperation(this.context, operation, mediaType);
    } catch (error) {
      const reason = `The operation cannot be converted: ${error instanceof Error ? error.message : String(error)}`;
      return { method: null, report: skippedEntry(operation.operationKey, operation.pointer, reason) };
    }
  }
}

/** Imports every operation of a document. Throws an ImportError with a sentence for the user. */
export async function importDocument(source: ImportSource): Promise<ImportResult> {
  const document = await OpenDocument.parse(source);
  const { methods, report } = document.convertAll();
  const { kind, title, version, servers, unresolvedRefs, warnings } = document;
  const exact = report.filter(({ fidelity }) => fidelity === 'exact').length;
  const fidelity = report.length === 0 ? 1 : exact / report.length;
  return { kind, title, version, servers, methods, report, fidelity, unresolvedRefs, warnings };
}

/** Converts one operation of a parsed document, for conversions on demand. */
export function convertMethod(document: OpenDocument, path: string, httpMethod: string) {
  return document.convert(path, httpMethod);
}

const placeOf = ({ path, httpMethod }: { path: string; httpMethod: string }) => `${httpMethod} ${path}`;

function skippedEntry(operationKey: string, pointer: string, reason: string): ReportEntry {
  return {
    operationKey,
    fidelity: 'skipped',
    reasons: [{ pointer, reason }],
    promptTokens: 0,
    bodyMediaTypes: [],
    bodyMediaType: null,
  };
}

function noOperations(root: JsonObject, skipped: readonly SkippedOperation[]): string {
  const [first] = skipped;
  const paths = Object.keys(root.paths as JsonObject).length;
  return first === undefined
    ? `The document has ${paths} paths, but no operations`
    : `No operation of the document can be imported. ${first.operationKey}: ${first.reason}`;
}
