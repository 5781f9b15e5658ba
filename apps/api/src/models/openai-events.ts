import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';
import { badAnswer } from './openai-errors.ts';

/** Characters of an event, or of a line, that is not whole yet. */
const MAX_EVENT_LENGTH = 1024 * 1024;

/** Reads the chunks out of a stream of server-sent events. */
export class EventReader {
  /** Whether `[DONE]` came; what follows is ignored. */
  done = false;
  private bytes = 0;
  private tooLong = false;
  private found: string[] = [];
  private readonly decoder = new StringDecoder('utf8');
  private readonly parser = createParser({
    maxBufferSize: MAX_EVENT_LENGTH,
    onEvent: ({ data }) => this.found.push(data),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') this.tooLong = true;
    },
  });

  /** `maxBytes`: of the whole stream, framing included. */
  constructor(private readonly maxBytes: number) {}

  /** Returns the chunks that are whole now, not parsed yet; throws a ProviderError when it gets too much. */
  push(bytes: Buffer): string[] {
    this.bytes += bytes.length;
    if (this.bytes > this.maxBytes) throw badAnswer("The model's server sent more than its answer can be.");
    if (!this.tooLong) this.parser.feed(this.decoder.write(bytes));
    const { found } = this;
    // What came before is handed on first.
    if (this.tooLong && found.length === 0) {
      throw badAnswer("The model's server sent a part of its answer that is too long.");
    }
    if (found.length === 0) return found;
    this.found = [];
    const end = found.findIndex((data) => data.startsWith('[DONE]'));
    if (end < 0) return found;
    this.done = true;
    return found.slice(0, end);
  }
}

/** The chunk as JSON; throws a ProviderError when it is none. */
export function parseChunk(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw badAnswer();
  }
}
