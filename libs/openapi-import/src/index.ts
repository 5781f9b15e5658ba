export { convertCurl } from './curl/curl-document.ts';
export { convertMethod, importDocument, OpenDocument } from './import-document.ts';
export { MAX_DOCUMENT_LENGTH } from './parse-document.ts';
export { Reimport, toMethodRequest } from './reimport.ts';
export { ImportError } from './types.ts';
export type { BreakingChange } from './breaking-changes.ts';
export type { Difference, Preference } from './merge-values.ts';
export type { MergeDecision, MethodChanges, MethodComparison, StoredMethod } from './reimport.ts';
export type {
  DocumentParts,
  Fidelity,
  ImportedMethod,
  ImportedServer,
  ImportResult,
  ImportSource,
  OperationSummary,
  PortSchema,
  ReportEntry,
  ReportReason,
  SourceKind,
} from './types.ts';
