import type { ToolAuth, ToolMethodRequest } from '@platform/contracts';
import type {
  ImportedServer,
  MergeDecision,
  MethodChanges,
  MethodComparison,
  OperationSummary,
  ReportEntry,
  SourceKind,
  StoredMethod,
} from '@platform/openapi-import';

export interface RequestHeader {
  name: string;
  value: string;
}

/** Where the text of a document comes from. */
export type TextSource =
  | { type: 'file'; file: File }
  /** The files of a folder. */
  | { type: 'folder'; files: File[] }
  | { type: 'text'; text: string }
  | { type: 'url'; url: string; header: RequestHeader | null };

/** A document, or a command that is converted to one. */
export type DocumentSource = TextSource | { type: 'curl'; command: string };

/** Why there is no document. */
export type ReadProblem =
  /** It was read but cannot be imported. */
  | { kind: 'document'; message: string }
  | { kind: 'invalid' | 'html' | 'header' | 'workerFailed' | 'zip' | 'noDocument' }
  | { kind: 'status'; status: number }
  | { kind: 'tooLarge'; megabytes: number }
  /** With the command that downloads the document. */
  | { kind: 'mixed' | 'network'; command: string };

export class ReadError extends Error {
  override name = 'ReadError';

  constructor(
    readonly problem: ReadProblem,
    options?: ErrorOptions,
  ) {
    super(problem.kind, options);
  }
}

/** An operation with how well it can be imported. */
export interface ImportableOperation extends OperationSummary {
  report: ReportEntry;
}

/** A document without its schemas, which stay in the worker until they are asked for. */
export interface DocumentOverview {
  kind: SourceKind;
  title: string;
  version: string;
  servers: ImportedServer[];
  operations: ImportableOperation[];
  /** Operations that could not even be listed. */
  skipped: ReportEntry[];
  /** How the source authenticates, without the secret; null if that is unknown. */
  auth: ToolAuth | null;
  /** Sentences about what was left out. */
  notes: string[];
}

export interface ChosenOperation {
  operationKey: string;
  /** Of the body, if one of several was chosen. */
  mediaType: string | undefined;
}

export type WorkerRequest =
  | { type: 'read'; source: DocumentSource }
  | { type: 'convert'; operations: ChosenOperation[] }
  /** With the methods of a tool, which later merge requests are about. */
  | { type: 'compare'; methods: StoredMethod[] }
  | { type: 'merge'; decisions: MergeDecision[] };

export type WorkerResponse =
  | { type: 'progress'; done: number; total: number }
  | { type: 'document'; document: DocumentOverview }
  | { type: 'methods'; methods: ToolMethodRequest[] }
  | { type: 'comparisons'; comparisons: MethodComparison[] }
  | { type: 'changes'; changes: MethodChanges }
  | { type: 'failed'; problem: ReadProblem };
