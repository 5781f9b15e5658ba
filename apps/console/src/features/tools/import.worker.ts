import './buffer-stub.ts';
import { ImportError, MAX_DOCUMENT_LENGTH, OpenDocument } from '@platform/openapi-import';
import {
  ReadError,
  type DocumentOverview,
  type DocumentSource,
  type ReadProblem,
  type WorkerRequest,
  type WorkerResponse,
} from './import-protocol.ts';
import { readDocument } from './read-document.ts';

const PROGRESS_STEP = 20;

let opened: OpenDocument | null = null;

self.onmessage = ({ data }: MessageEvent<WorkerRequest>) => {
  void (data.type === 'read' ? open(data.source) : Promise.resolve(convert(data.operationKeys))).then(
    send,
    (error: unknown) => send({ type: 'failed', problem: describe(error) }),
  );
};

async function open(source: DocumentSource): Promise<WorkerResponse> {
  opened = null;
  const { protocol } = self.location;
  const read = await readDocument(source, {
    fetch: (input, init) => fetch(input, init),
    pageProtocol: protocol,
    maxBytes: MAX_DOCUMENT_LENGTH,
  });
  opened = await OpenDocument.parse(read);
  return { type: 'document', document: inspect(opened) };
}

/** Converts every operation for the report. The methods are dropped, so that only chosen ones leave the worker. */
function inspect(document: OpenDocument): DocumentOverview {
  const { kind, title, version, servers, operations, skippedReport } = document;
  const inspected = operations.map((operation, i) => {
    if (i % PROGRESS_STEP === 0) send({ type: 'progress', done: i, total: operations.length });
    return { ...operation, report: document.convert(operation.path, operation.httpMethod).report };
  });
  return { ...{ kind, title, version, servers }, operations: inspected, skipped: skippedReport };
}

function convert(operationKeys: string[]): WorkerResponse {
  const chosen = new Set(operationKeys);
  const document = opened;
  const methods = (document?.operations ?? [])
    .filter(({ operationKey }) => chosen.has(operationKey))
    .flatMap(({ path, httpMethod }) => document?.convert(path, httpMethod).method ?? []);
  return { type: 'methods', methods };
}

function describe(error: unknown): ReadProblem {
  if (error instanceof ReadError) return error.problem;
  if (error instanceof ImportError) return { kind: 'document', message: error.message };
  return { kind: 'workerFailed' };
}

function send(response: WorkerResponse): void {
  self.postMessage(response);
}
