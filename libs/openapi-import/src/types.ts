import type { MethodBinding } from '@platform/contracts';

/** A JSON Schema of draft 2020-12, with `isPort: true` on each port. */
export interface PortSchema {
  [keyword: string]: unknown;
}

/** One endpoint of a document as a method of a tool. */
export interface ImportedMethod {
  /** Letters, digits, `_`, and `-`; at most 64; unique in the document, also if case is ignored. */
  name: string;
  description: string;
  httpMethod: string;
  path: string;
  /** Present if the operation or its path overrides the servers of the document. */
  serverUrl?: string;
  inputSchema: PortSchema;
  outputSchema: PortSchema;
  bindings: MethodBinding[];
  /** Null if the method has no body. */
  bodyMediaType: string | null;
  /** The encodings of the properties of a form, as in the document. */
  encoding?: Record<string, unknown>;
  /** Such as `GET /pets/{id}`. */
  operationKey: string;
  /** Whether the method has side effects, judged by its verb. */
  acts: boolean;
  deprecated: boolean;
  tags: string[];
}

/** An endpoint before it is converted. */
export interface OperationSummary {
  operationKey: string;
  name: string;
  httpMethod: string;
  path: string;
  summary: string;
  tags: string[];
  deprecated: boolean;
}

/** `simplified`: the method works, but parts of its schemas are less exact than in the document. */
export type Fidelity = 'exact' | 'simplified' | 'skipped';

export interface ReportReason {
  /** JSON pointer into the document. */
  pointer: string;
  /** One sentence. */
  reason: string;
}

export interface ReportEntry {
  operationKey: string;
  fidelity: Fidelity;
  /** At most 20. */
  reasons: ReportReason[];
  /** Estimated tokens of the method in a prompt; 0 if it was skipped. */
  promptTokens: number;
  /** The media types that the body can have, and the one that it has; none and null if there is no body. */
  bodyMediaTypes: string[];
  bodyMediaType: string | null;
}

export interface ImportedServer {
  /** With the defaults of its variables. */
  url: string;
  description: string;
}

export type DocumentKind = 'openapi3' | 'swagger2';
/** What was imported: a document, or what was converted to one. */
export type SourceKind = DocumentKind | 'postman';

export interface ImportResult {
  kind: SourceKind;
  title: string;
  version: string;
  servers: ImportedServer[];
  methods: ImportedMethod[];
  report: ReportEntry[];
  /** The share of operations that were imported exactly, 0 to 1. */
  fidelity: number;
  /** References that could not be resolved, without repetitions. */
  unresolvedRefs: string[];
  /** Sentences about the entire document. */
  warnings: string[];
}

export interface ImportSource {
  text: string;
  /** The Content-Type of the response, if the document was fetched. */
  contentType?: string;
  /** The address of the document, for relative server addresses. */
  documentUrl?: string;
  /** The name of the file, if the document was read from one. */
  fileName?: string;
  /** Where other documents are that this one refers to. Without it, they are not loaded. */
  parts?: DocumentParts;
}

/** The other files of a document, or the documents beside it. */
export interface DocumentParts {
  /** The address of the document among them, such as `file:///api/openapi.yaml`. */
  url: string;
  /** Throws an error with a sentence for the user. */
  load: (url: string) => Promise<{ text: string; contentType?: string }>;
}

/** Why a document cannot be imported: a sentence for the user. */
export class ImportError extends Error {
  override name = 'ImportError';
}
