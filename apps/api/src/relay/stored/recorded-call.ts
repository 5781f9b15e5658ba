import type { Dispatcher } from 'undici';
import type { UpstreamCall, UpstreamHeaders } from '../upstream/upstream-call.ts';

const MAX_SEARCHED_BYTES = 8 * 1024;
const ID = /"id"\s{0,9}:\s{0,9}"[\w-]{1,200}"/;
/** The longest text that `ID` matches. */
const MAX_ID_LENGTH = 225;
/** An `id`, or whatever else a JSON text has of strings and braces. A string can still be incomplete. */
const TOKEN = /"id"\s{0,9}:\s{0,9}"([\w-]{1,200})"|"(?:[^"\\]|\\.)*(?:"|$)|[{}]/gs;

type Controller = Dispatcher.DispatchController;

/**
 * Records the id of a response that the server stores. The caller may ask for it at once, so nothing is forwarded from the
 * piece with the id on until the id is recorded.
 */
export class RecordedCall implements Dispatcher.DispatchHandler {
  private head = '';
  /** Where the last id ends that was found in the head. */
  private searched = 0;
  private isSearching = false;
  /** What arrives while the id is recorded, in its order. */
  private waiting: (() => void)[] | null = null;

  /** `record` must not reject. */
  constructor(
    private readonly call: UpstreamCall,
    private readonly record: (id: string) => Promise<void>,
  ) {}

  onRequestStart(controller: Controller): void {
    this.call.onRequestStart(controller);
  }

  onResponseStart(controller: Controller, status: number, headers: UpstreamHeaders): void {
    this.isSearching = status >= 200 && status < 300;
    this.call.onResponseStart(controller, status, headers);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    const id = this.isSearching ? this.findId(chunk) : undefined;
    if (id !== undefined) this.hold(controller, id);
    this.inOrder(() => this.call.onResponseData(controller, chunk));
  }

  onResponseEnd(): void {
    this.inOrder(() => this.call.onResponseEnd());
  }

  onResponseError(controller: Controller, error: Error): void {
    this.inOrder(() => this.call.onResponseError(controller, error));
  }

  private findId(chunk: Buffer): string | undefined {
    const from = Math.max(this.searched, this.head.length - MAX_ID_LENGTH);
    this.head += chunk.toString('latin1', 0, MAX_SEARCHED_BYTES - this.head.length);
    // All of it is read only if an id is new in it: chunks can be single bytes.
    const found = ID.exec(this.head.slice(from));
    if (found !== null) this.searched = from + found.index + found[0].length;
    const id = found !== null ? responseIdIn(this.head) : undefined;
    this.isSearching = id === undefined && this.head.length < MAX_SEARCHED_BYTES;
    return id;
  }

  private hold(controller: Controller, id: string): void {
    const waiting: (() => void)[] = [];
    this.waiting = waiting;
    controller.pause();
    void this.record(id).then(() => {
      this.waiting = null;
      for (const step of waiting) step();
      // A slow reader resumes the server by itself.
      if (!controller.aborted && !this.call.awaitsReader) controller.resume();
    });
  }

  private inOrder(step: () => void): void {
    if (this.waiting === null) step();
    else this.waiting.push(step);
  }
}

/**
 * The id of a response, or of the response in the first event. Objects inside are no matter: callers choose some of their ids,
 * such as those of metadata.
 */
function responseIdIn(head: string): string | undefined {
  const depthOfId = /^\s*\{/.test(head) ? 1 : 2;
  let depth = 0;
  for (const [token, id] of head.matchAll(TOKEN)) {
    if (token === '{') depth++;
    else if (token === '}') depth--;
    else if (id !== undefined && depth === depthOfId) return id;
  }
  return undefined;
}
