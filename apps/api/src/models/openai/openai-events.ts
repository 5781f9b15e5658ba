import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';
import { badAnswer } from './openai-errors.ts';

/** The most characters of an incomplete event or line. */
const MAX_EVENT_LENGTH = 1024 * 1024;

/** Extracts the chunks from a stream of server-sent events. */
export class EventReader {
  /** Whether `[DONE]` was received. What follows is ignored. */
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

  /** `maxBytes`: the most bytes of the stream, including framing. */
  constructor(private readonly maxBytes: number) {}

  /** Returns the chunks that are complete, not parsed yet. Throws a ProviderError if the stream is too large. */
  push(bytes: Buffer): string[] {
    this.bytes += bytes.length;
    if (this.bytes > this.maxBytes) throw badAnswer("The model's server sent more than its answer can be.");
    if (!this.tooLong) this.parser.feed(this.decoder.write(bytes));
    const { found } = this;
    // Earlier chunks are passed on first.
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

/** Parses a chunk. Throws a ProviderError if it is not JSON. */
export function parseChunk(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw badAnswer();
  }
}
