export { convertMethod, importDocument, OpenDocument } from './import-document.ts';
export { MAX_DOCUMENT_LENGTH } from './parse-document.ts';
export { ImportError } from './types.ts';
export type {
  DocumentKind,
  Fidelity,
  ImportedMethod,
  ImportedServer,
  ImportResult,
  ImportSource,
  OperationSummary,
  PortBinding,
  PortLocation,
  PortSchema,
  ReportEntry,
  ReportReason,
} from './types.ts';
