import { eventNames, framesIn, readStream, textOf, type StreamedAnswer } from './frames.ts';

/** A streamed answer that is read piece by piece. */
export class LiveStream {
  private readonly reader: ReadableStreamDefaultReader<string>;
  private bytes = '';

  constructor(readonly response: Response) {
    if (response.body === null) throw new Error('The answer has no body');
    this.reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  }

  get status(): number {
    return this.response.status;
  }

  /** Reads until the product event has come, and answers what came so far. */
  async until(wireName: string): Promise<string> {
    while (!eventNames(framesIn(this.complete)).includes(wireName)) {
      if (!(await this.more())) throw new Error(`The stream ended without ${wireName}:\n${this.bytes}`);
    }
    return this.complete;
  }

  /** Reads until the answer's text contains this. */
  async untilSaid(text: string): Promise<void> {
    while (!textOf(framesIn(this.complete)).includes(text)) {
      if (!(await this.more())) throw new Error(`The stream ended without ${text}`);
    }
  }

  /** Reads to the end; what was read before is part of the answer. */
  async rest(): Promise<StreamedAnswer> {
    while (await this.more());
    return readStream(new Response(this.bytes, this.response));
  }

  async leave(): Promise<void> {
    await this.reader.cancel();
  }

  /** The whole frames so far. */
  private get complete(): string {
    return this.bytes.slice(0, this.bytes.lastIndexOf('\n\n') + 2);
  }

  private async more(): Promise<boolean> {
    const { done, value = '' } = await this.reader.read();
    this.bytes += value;
    return !done;
  }
}
