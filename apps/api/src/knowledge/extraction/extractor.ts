import type { KnowledgeEncoding } from '@platform/contracts';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { forkConfined } from '../../infra/runtime/confined-child.ts';
import type { ChildMessage, DocumentLimits } from './extraction-child.ts';
import type { ExtractionJob } from './extraction-thread.ts';
import { Unreadable } from './unreadable.ts';

interface ExtractionLimits extends DocumentLimits {
  /** Of a process that hangs. Less than the lease of a document. */
  ms: number;
  /** After how many documents a process is replaced. */
  documents: number;
}

/** Beside the heap of a document, there are its bytes, its unpacked streams, and Node.js itself. */
const LIMITS: ExtractionLimits = {
  ms: 100_000,
  cpuMs: 20_000,
  heapMb: 384,
  residentMb: 896,
  reusableMb: 256,
  documents: 50,
};
/** How long a process lives on without a document. */
const IDLE_MS = 10_000;
const TOO_LARGE = 'Reading the document takes more memory than allowed.';
/** How V8 ends a process whose heap is full, and how the process ends itself, or the system ends it, if it has too much memory. */
const OUT_OF_MEMORY: readonly unknown[] = ['SIGABRT', 'SIGTRAP', 'SIGKILL'];

/** Rows for `insertChunks`, as JSON, and how many chunks they contain. */
interface Extraction {
  rows: string[];
  chunks: number;
  /** Of its text, if the bytes told it. */
  encoding: KnowledgeEncoding | null;
}

/** Reads documents in processes of their own, so that none can end the service. */
export class Extractor {
  private readonly limits: ExtractionLimits;
  private readonly idle: ExtractionProcess[] = [];

  constructor(limits: Partial<ExtractionLimits> = {}) {
    this.limits = { ...LIMITS, ...limits };
  }

  /** Throws `Unreadable`, or the reason of the signal. */
  async read(job: ExtractionJob, signal: AbortSignal): Promise<Extraction> {
    const idle = this.idle.pop();
    if (idle !== undefined) {
      try {
        return await this.readIn(idle, job, signal);
      } catch (error) {
        if (!(error instanceof NotStarted)) throw error;
      }
    }
    return this.readIn(new ExtractionProcess(this.limits, (ended) => this.forget(ended)), job, signal);
  }

  /** Ends the processes that read no document. */
  async close(): Promise<void> {
    await Promise.all(this.idle.splice(0).map((child) => child.kill()));
  }

  private async readIn(
    child: ExtractionProcess,
    job: ExtractionJob,
    signal: AbortSignal,
  ): Promise<Extraction> {
    try {
      signal.throwIfAborted();
      return await child.read(job, signal);
    } finally {
      if (child.isReusable) this.idle.push(child);
      else await child.kill();
    }
  }

  private forget(child: ExtractionProcess): void {
    const index = this.idle.indexOf(child);
    if (index >= 0) this.idle.splice(index, 1);
  }
}

/** The process ended while it was idle, which was noticed only now. */
class NotStarted extends Error {}

/** Reads one document at a time. */
class ExtractionProcess {
  isReusable = false;
  private readonly child: ChildProcess;
  private documents = 0;
  private idleTimer: NodeJS.Timeout | null = null;

  constructor(
    private readonly limits: ExtractionLimits,
    onEnd: (ended: ExtractionProcess) => void,
  ) {
    this.child = forkChild(limits);
    this.child.on('error', () => void this.kill());
    this.child.on('exit', () => {
      if (this.idleTimer) clearTimeout(this.idleTimer);
      onEnd(this);
    });
  }

  async read(job: ExtractionJob, signal: AbortSignal): Promise<Extraction> {
    const { limits, child } = this;
    this.hold();
    const isReused = this.documents++ > 0;
    let hasStarted = false;
    const { promise, resolve, reject } = Promise.withResolvers<Extraction>();
    const rows: string[] = [];
    const receive = (message: ChildMessage) => {
      if (message.type === 'started') {
        hasStarted = true;
        return;
      }
      if (message.type === 'rows') {
        rows.push(message.rows);
        return;
      }
      const { outcome, isReusable } = message;
      this.isReusable = isReusable && this.documents < limits.documents;
      if (outcome.type === 'done') resolve({ rows, chunks: outcome.chunks, encoding: outcome.encoding });
      else if (outcome.type === 'memory') reject(new Unreadable(TOO_LARGE));
      else if (outcome.type === 'unreadable') reject(new Unreadable(outcome.message));
      else reject(new Error(outcome.message));
    };
    const exit = (code: number | null, by: NodeJS.Signals | null) => {
      if (isReused && !hasStarted) reject(new NotStarted());
      else if (OUT_OF_MEMORY.includes(by)) reject(new Unreadable(TOO_LARGE));
      else reject(new Error(`The extraction process ended: ${code ?? by}`));
    };
    const abort = () => reject(signal.reason as Error);
    const timer = setTimeout(
      () => reject(new Unreadable(`The document could not be read within ${limits.ms / 1000} seconds.`)),
      limits.ms,
    );
    child.on('message', receive);
    child.on('error', reject);
    child.on('exit', exit);
    signal.addEventListener('abort', abort, { once: true });
    try {
      // A process that has just ended is noticed by its exit.
      child.send(job, () => undefined);
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      child.off('message', receive).off('error', reject).off('exit', exit);
      if (this.isReusable) this.release();
    }
  }

  /** Resolves when the process has ended. */
  async kill(): Promise<void> {
    const { child } = this;
    this.isReusable = false;
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    // Its end is waited for.
    child.ref();
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  private hold(): void {
    this.isReusable = false;
    if (this.idleTimer) clearTimeout(this.idleTimer);
    this.child.ref();
    this.child.channel?.ref();
  }

  /** A process without a document must not keep the service from ending. */
  private release(): void {
    this.child.unref();
    this.child.channel?.unref();
    this.idleTimer = setTimeout(() => void this.child.kill('SIGKILL'), IDLE_MS).unref();
  }
}

function forkChild({ cpuMs, heapMb, residentMb, reusableMb }: DocumentLimits): ChildProcess {
  const settings: DocumentLimits = { cpuMs, heapMb, residentMb, reusableMb };
  return forkConfined(import.meta.url, 'extraction-child', {
    settings,
    readable: ['*'],
    heapMb,
    serialization: 'advanced',
  });
}
