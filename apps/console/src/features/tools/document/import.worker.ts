import './buffer-stub.ts';
import type { ToolMethodRequest } from '@platform/contracts';
import {
  convertCurl,
  ImportError,
  MAX_DOCUMENT_LENGTH,
  OpenDocument,
  Reimport,
  toMethodRequest,
} from '@platform/openapi-import';
import {
  ReadError,
  type ChosenOperation,
  type DocumentOverview,
  type DocumentSource,
  type ReadProblem,
  type WorkerRequest,
  type WorkerResponse,
} from './import-protocol.ts';
import { readDocument } from './read-document.ts';

/** The page needs time to show it. */
const PROGRESS_MS = 100;

let opened: OpenDocument | null = null;
let reimport: Reimport | null = null;

self.onmessage = ({ data }: MessageEvent<WorkerRequest>) => {
  void respond(data).then(send, (error: unknown) => send({ type: 'failed', problem: describe(error) }));
};

async function respond(request: WorkerRequest): Promise<WorkerResponse> {
  switch (request.type) {
    case 'read':
      return open(request.source);
    case 'convert':
      return { type: 'methods', methods: convert(opened, request.operations) };
    case 'compare':
      if (opened === null) throw new Error('No document is open');
      reimport = new Reimport(opened, request.methods);
      return { type: 'comparisons', comparisons: reimport.comparisons };
    case 'merge':
      if (reimport === null) throw new Error('Nothing was compared');
      return { type: 'changes', changes: reimport.merge(request.decisions) };
  }
}

async function open(source: DocumentSource): Promise<WorkerResponse> {
  opened = null;
  reimport = null;
  if (source.type === 'curl') {
    const { text, auth, notes } = convertCurl(source.command);
    opened = await OpenDocument.parse({ text });
    return { type: 'document', document: { ...inspect(opened), auth, notes } };
  }
  const { protocol } = self.location;
  const read = await readDocument(source, {
    fetch: (input, init) => fetch(input, init),
    pageProtocol: protocol,
    maxBytes: MAX_DOCUMENT_LENGTH,
  });
  opened = await OpenDocument.parse(read);
  return { type: 'document', document: { ...inspect(opened), auth: null, notes: opened.partProblems } };
}

/** Converts every operation for the report. The methods are dropped, so that only chosen ones leave the worker. */
function inspect(document: OpenDocument): Omit<DocumentOverview, 'auth' | 'notes'> {
  const { kind, title, version, servers, operations, skippedReport } = document;
  let shown = -Infinity;
  const inspected = operations.map((operation, i) => {
    const now = performance.now();
    if (now - shown >= PROGRESS_MS) {
      shown = now;
      send({ type: 'progress', done: i, total: operations.length });
    }
    return { ...operation, report: document.convert(operation.path, operation.httpMethod).report };
  });
  return { kind, title, version, servers, operations: inspected, skipped: skippedReport };
}

function convert(document: OpenDocument | null, chosen: ChosenOperation[]): ToolMethodRequest[] {
  if (document === null) throw new Error('No document is open');
  const types = new Map(chosen.map(({ operationKey, mediaType }) => [operationKey, mediaType]));
  return document.operations
    .filter(({ operationKey }) => types.has(operationKey))
    .flatMap(
      ({ path, httpMethod, operationKey }) =>
        document.convert(path, httpMethod, types.get(operationKey)).method ?? [],
    )
    .map(toMethodRequest);
}

function describe(error: unknown): ReadProblem {
  if (error instanceof ReadError) return error.problem;
  if (error instanceof ImportError) return { kind: 'document', message: error.message };
  return { kind: 'workerFailed' };
}

function send(response: WorkerResponse): void {
  self.postMessage(response);
}
