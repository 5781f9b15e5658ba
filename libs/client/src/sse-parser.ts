export interface SseEvent {
  data: string;
  /** The last `id:` of this or an earlier event; empty if there was none. */
  lastEventId: string;
}

/** Incremental parser of the server-sent events format (WHATWG HTML §9.2). */
export class SseParser {
  private readonly utf8 = new TextDecoder();
  private started = false;
  private afterCr = false;
  private line = '';
  private data: string[] = [];
  private lastEventId = '';

  /** The last `id:`, also of a message without data; empty if there was none. */
  get lastId(): string {
    return this.lastEventId;
  }

  /** Number of buffered characters of an incomplete event. */
  get pending(): number {
    return this.data.reduce((sum, line) => sum + line.length, this.line.length);
  }

  /** Returns the events that the next chunk completes. Chunks can be split anywhere. */
  push(chunk: Uint8Array | string): SseEvent[] {
    const text = this.normalize(
      typeof chunk === 'string' ? chunk : this.utf8.decode(chunk, { stream: true }),
    );
    if (text === '') return [];
    const [first = '', ...others] = text.split(/\r\n|\n|\r/);
    this.line += first;
    const events: SseEvent[] = [];
    for (const next of others) {
      const event = this.parseLine(this.line);
      if (event !== null) events.push(event);
      this.line = next;
    }
    return events;
  }

  // Removes a leading byte order mark, and the LF of a CRLF that was split between two chunks.
  private normalize(text: string): string {
    if (text === '') return text;
    let from = 0;
    if (!this.started && text.startsWith('\uFEFF')) from = 1;
    else if (this.afterCr && text.startsWith('\n')) from = 1;
    this.started = true;
    this.afterCr = text.endsWith('\r');
    return text.slice(from);
  }

  private parseLine(line: string): SseEvent | null {
    if (line === '') return this.dispatch();
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.lastEventId = value;
    return null;
  }

  private dispatch(): SseEvent | null {
    if (this.data.length === 0) return null;
    const event = { data: this.data.join('\n'), lastEventId: this.lastEventId };
    this.data = [];
    return event;
  }
}
