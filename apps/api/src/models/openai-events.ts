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

  /** Returns the chunks that are whole now; throws a ProviderError when one is no JSON, or when it gets too much. */
  push(bytes: Buffer): unknown[] {
    this.bytes += bytes.length;
    if (this.bytes > this.maxBytes) throw badAnswer("The model's server sent more than its answer can be.");
    this.parser.feed(this.decoder.write(bytes));
    if (this.tooLong) throw badAnswer("The model's server sent a part of its answer that is too long.");
    if (this.found.length === 0) return [];
    const chunks: unknown[] = [];
    for (const data of this.found) {
      if (data.startsWith('[DONE]')) {
        this.done = true;
        break;
      }
      chunks.push(parsed(data));
    }
    this.found = [];
    return chunks;
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw badAnswer();
  }
}
