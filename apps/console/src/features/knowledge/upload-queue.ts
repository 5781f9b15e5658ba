import type { KnowledgeArchive } from '@platform/contracts';

/** The files of an archive that became no documents. */
export type Skipped = KnowledgeArchive['skipped'];

/** A file on its way to the service. */
export interface Upload {
  key: number;
  name: string;
  state: 'waiting' | 'sending' | 'done' | 'failed' | 'stopped';
  /** Why it failed. */
  error?: unknown;
  /** Once it was sent. */
  skipped?: Skipped;
}

/** What each file waits for; null if it can be sent at once. */
type Ready = (signal: AbortSignal) => Promise<void> | null;

/** Files are sent one after another, so that a page full of them does not occupy the service. */
export class UploadQueue {
  private uploads: Upload[] = [];
  private readonly files = new Map<number, File>();
  private controller = new AbortController();
  isSending = false;
  private nextKey = 1;
  private readonly send: (file: File, signal: AbortSignal) => Promise<Skipped>;
  private readonly onChange: (uploads: Upload[]) => void;
  private readonly ready: Ready;

  constructor(
    send: (file: File, signal: AbortSignal) => Promise<Skipped>,
    onChange: (uploads: Upload[]) => void,
    ready: Ready = () => null,
  ) {
    this.send = send;
    this.onChange = onChange;
    this.ready = ready;
  }

  add(files: readonly File[]): void {
    // What has ended makes room for the new files, except for what the user still has to read.
    const kept = this.isSending ? this.uploads : this.uploads.filter(isToRead);
    const added = files.map((file): Upload => {
      const key = this.nextKey++;
      this.files.set(key, file);
      return { key, name: file.name, state: 'waiting' };
    });
    this.set([...kept, ...added]);
    if (!this.isSending) void this.work();
  }

  /** Sends a file that failed again. */
  again(key: number): void {
    if (!this.files.has(key)) return;
    this.change(key, { state: 'waiting', error: undefined });
    if (!this.isSending) void this.work();
  }

  /** Stops the file that is being sent, and those that wait. */
  stop(): void {
    this.controller.abort();
    for (const { key, state } of this.uploads)
      if (state === 'waiting') {
        this.files.delete(key);
        this.change(key, { state: 'stopped' });
      }
  }

  clear(): void {
    this.files.clear();
    this.set([]);
  }

  private async work(): Promise<void> {
    this.isSending = true;
    this.controller = new AbortController();
    const { signal } = this.controller;
    for (let next = this.next(); next !== undefined; next = this.next()) {
      const { key } = next;
      const isAway = this.ready(signal);
      if (isAway !== null) await isAway;
      const file = this.files.get(key);
      // It was stopped while it waited.
      if (file === undefined) continue;
      this.change(key, { state: 'sending' });
      try {
        const skipped = await this.send(file, signal);
        this.files.delete(key);
        this.change(key, { state: 'done', skipped });
      } catch (error) {
        this.change(key, signal.aborted ? { state: 'stopped' } : { state: 'failed', error });
      }
    }
    this.isSending = false;
  }

  private next(): Upload | undefined {
    return this.uploads.find(({ state }) => state === 'waiting');
  }

  private change(key: number, change: Partial<Upload>): void {
    this.set(this.uploads.map((upload) => (upload.key === key ? { ...upload, ...change } : upload)));
  }

  private set(uploads: Upload[]): void {
    this.uploads = uploads;
    this.onChange(uploads);
  }
}

function isToRead({ state, skipped = [] }: Upload): boolean {
  return state === 'failed' || skipped.length > 0;
}
