export interface SseEvent {
  data: string;
  /** The last `id:` seen, of this event or one before; empty when there was none. */
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

  /** Characters held back because their event is not complete yet. */
  get pending(): number {
    return this.data.reduce((sum, line) => sum + line.length, this.line.length);
  }

  /** Takes the next piece, cut anywhere, and returns the events that it completes. */
  push(chunk: Uint8Array | string): SseEvent[] {
    const text = this.normalize(
      typeof chunk === 'string' ? chunk : this.utf8.decode(chunk, { stream: true }),
    );
    if (text === '') return [];
    const [first = '', ...others] = text.split(/\r\n|\n|\r/);
    this.line += first;
    const events: SseEvent[] = [];
    for (const next of others) {
      const event = this.takeLine(this.line);
      if (event !== null) events.push(event);
      this.line = next;
    }
    return events;
  }

  // Drops a byte order mark at the very beginning, and the LF of a CRLF that was cut in two.
  private normalize(text: string): string {
    if (text === '') return text;
    let from = 0;
    if (!this.started && text.startsWith('\uFEFF')) from = 1;
    else if (this.afterCr && text.startsWith('\n')) from = 1;
    this.started = true;
    this.afterCr = text.endsWith('\r');
    return text.slice(from);
  }

  private takeLine(line: string): SseEvent | null {
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
