import type { ToolMethodRequest } from '@platform/contracts';
import type { MergeDecision, MethodChanges, MethodComparison, StoredMethod } from '@platform/openapi-import';
import {
  ReadError,
  type ChosenOperation,
  type DocumentOverview,
  type DocumentSource,
  type WorkerRequest,
  type WorkerResponse,
} from './import-protocol.ts';

export interface Progress {
  done: number;
  total: number;
}

interface Waiting {
  resolve: (response: WorkerResponse) => void;
  reject: (error: Error) => void;
  onProgress?: (progress: Progress) => void;
}

/** A document in a worker, so that the page stays responsive. Takes one request at a time. */
export class DocumentWorker {
  private readonly worker = new Worker(new URL('./import.worker.ts', import.meta.url), { type: 'module' });
  private waiting: Waiting | null = null;

  constructor() {
    this.worker.onmessage = ({ data }: MessageEvent<WorkerResponse>) => this.receive(data);
    this.worker.onerror = () => this.receive({ type: 'failed', problem: { kind: 'workerFailed' } });
  }

  async read(source: DocumentSource, onProgress: (progress: Progress) => void): Promise<DocumentOverview> {
    const response = await this.ask({ type: 'read', source }, onProgress);
    if (response.type !== 'document') throw new ReadError({ kind: 'workerFailed' });
    return response.document;
  }

  async convert(operations: ChosenOperation[]): Promise<ToolMethodRequest[]> {
    const response = await this.ask({ type: 'convert', operations });
    if (response.type !== 'methods') throw new ReadError({ kind: 'workerFailed' });
    return response.methods;
  }

  /** Compares the document with the methods of a tool. */
  async compare(methods: StoredMethod[]): Promise<MethodComparison[]> {
    const response = await this.ask({ type: 'compare', methods });
    if (response.type !== 'comparisons') throw new ReadError({ kind: 'workerFailed' });
    return response.comparisons;
  }

  /** The changes of the methods that were compared last. */
  async merge(decisions: MergeDecision[]): Promise<MethodChanges> {
    const response = await this.ask({ type: 'merge', decisions });
    if (response.type !== 'changes') throw new ReadError({ kind: 'workerFailed' });
    return response.changes;
  }

  /** Ends the worker, whatever it does. A pending request is never settled. */
  terminate(): void {
    this.worker.terminate();
    this.waiting = null;
  }

  private ask(request: WorkerRequest, onProgress?: (progress: Progress) => void): Promise<WorkerResponse> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject, ...(onProgress && { onProgress }) };
      this.worker.postMessage(request);
    });
  }

  private receive(response: WorkerResponse): void {
    if (response.type === 'progress') {
      this.waiting?.onProgress?.(response);
      return;
    }
    const { waiting } = this;
    this.waiting = null;
    if (response.type === 'failed') waiting?.reject(new ReadError(response.problem));
    else waiting?.resolve(response);
  }
}
