import type { Dispatcher } from 'undici';
import { ResponseTail } from '../upstream/response-tail.ts';
import type { UpstreamCall, UpstreamHeaders } from '../upstream/upstream-call.ts';
import { findItemIds, StreamedItems } from './output-items.ts';

const MAX_SEARCHED_BYTES = 8 * 1024;
const ID = /"id"\s{0,9}:\s{0,9}"[\w-]{1,200}"/;
/** The longest text that `ID` matches. */
const MAX_ID_LENGTH = 225;
/** An `id`, or whatever else a JSON text has of strings and braces. A string can still be incomplete. */
const TOKEN = /"id"\s{0,9}:\s{0,9}"([\w-]{1,200})"|"(?:[^"\\]|\\.)*(?:"|$)|[{}]/gs;

type Controller = Dispatcher.DispatchController;

/**
 * Records the ids of a response that the server stores, and of its items. The caller may ask for them at once, so nothing is
 * forwarded from the piece with an id on until the id is recorded.
 */
export class RecordedCall implements Dispatcher.DispatchHandler {
  private head = '';
  /** Where the last id ends that was found in the head. */
  private searched = 0;
  private isSearching = false;
  /** Null unless the response is streamed. */
  private items: StreamedItems | null = null;
  /** A response that is not streamed; null for others. */
  private whole: ResponseTail | null = null;
  /** The last piece of `whole`: without it, the caller cannot read the ids. */
  private latest: Buffer | null = null;
  private recording = 0;
  /** What arrives while ids are recorded, in its order. */
  private waiting: (() => void)[] | null = null;

  /** `record` must not reject. */
  constructor(
    private readonly call: UpstreamCall,
    private readonly record: (ids: string[]) => Promise<void>,
  ) {}

  onRequestStart(controller: Controller): void {
    this.call.onRequestStart(controller);
  }

  onResponseStart(controller: Controller, status: number, headers: UpstreamHeaders): void {
    this.isSearching = status >= 200 && status < 300;
    if (this.isSearching) {
      const isStream = String(headers['content-type']).startsWith('text/event-stream');
      if (isStream) this.items = new StreamedItems();
      else this.whole = new ResponseTail();
    }
    this.call.onResponseStart(controller, status, headers);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.forwardLatest(controller);
    const id = this.isSearching ? this.findId(chunk) : undefined;
    const ids = [...(id === undefined ? [] : [id]), ...(this.items?.push(chunk) ?? [])];
    if (ids.length > 0) {
      controller.pause();
      this.hold(controller, ids);
    }
    this.latest = chunk;
    this.whole?.push(chunk);
    if (this.whole === null) this.forwardLatest(controller);
  }

  onResponseEnd(controller: Controller): void {
    const ids = this.whole === null ? [] : findItemIds(this.whole);
    if (ids.length > 0) this.hold(controller, ids);
    this.forwardLatest(controller);
    this.inOrder(() => this.call.onResponseEnd());
  }

  onResponseError(controller: Controller, error: Error): void {
    this.forwardLatest(controller);
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

  private hold(controller: Controller, ids: string[]): void {
    this.recording++;
    this.waiting ??= [];
    void this.record(ids).then(() => {
      if (--this.recording > 0) return;
      const steps = this.waiting ?? [];
      this.waiting = null;
      for (const step of steps) step();
      // A slow reader resumes the server by itself.
      if (!controller.aborted && !this.call.awaitsReader) controller.resume();
    });
  }

  private forwardLatest(controller: Controller): void {
    const { latest } = this;
    this.latest = null;
    if (latest !== null) this.inOrder(() => this.call.onResponseData(controller, latest));
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
