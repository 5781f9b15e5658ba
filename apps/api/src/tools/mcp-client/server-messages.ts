import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { shortened } from '../../infra/errors/error-message.ts';
import { quoteInexactNumbers } from '../../infra/requests/json-numbers.ts';
import { shapeProblem } from '../../infra/requests/json-shape.ts';

/** Deeper messages cost their readers more than they can say. What tools return is limited further. */
const MAX_DEPTH = 1_000;
/** Numbers that are named in a warning. */
const MAX_NAMED = 5;
/** Servers send as many messages as they like. */
const MAX_WARNINGS = 20;

/** A message that is too large or too deep to be read. */
export class UnreadableMessage extends Error {
  override name = 'UnreadableMessage';
}

/** Makes messages of a server safe to parse: not too deep, not too many parts, and without numbers that JavaScript would change. */
export class MessageCheck {
  readonly warnings: string[] = [];

  /** Throws an `UnreadableMessage`. */
  check(json: Buffer): Buffer {
    const problem = shapeProblem(json, MAX_DEPTH);
    if (problem !== null)
      throw new UnreadableMessage(problem.replace('The body', 'The message of the server'));
    const quoted = quoteInexactNumbers(json, MAX_NAMED);
    if (quoted === null) return json;
    if (this.warnings.length === MAX_WARNINGS) return quoted.json;
    const named = quoted.paths.map((path) => shortened(path, 100)).join(', ');
    const more = quoted.count > quoted.paths.length ? `, and ${quoted.count - quoted.paths.length} more` : '';
    this.warnings.push(`Strings in place of numbers that a number cannot hold exactly: ${named}${more}`);
    return quoted.json;
  }

  /** The same for the events of a stream. */
  async *checkEvents(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const checked: string[] = [];
    const parser = createParser({
      onEvent: (event) => void checked.push(this.toText(event)),
      onRetry: (ms) => void checked.push(`retry: ${ms}\n\n`),
    });
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      for (const text of checked.splice(0)) yield Buffer.from(text);
    }
  }

  private toText({ id, event, data }: EventSourceMessage): string {
    const lines = [
      ...(id === undefined ? [] : [`id: ${id}`]),
      ...(event === undefined ? [] : [`event: ${event}`]),
      // JSON has no line breaks that matter.
      `data: ${data === '' ? '' : this.check(Buffer.from(data)).toString().replaceAll('\n', ' ')}`,
    ];
    return `${lines.join('\n')}\n\n`;
  }
}
