import { SecretMask, type Secrets } from '../../models/port/secrets.ts';
import { findEventEnd, findLastEventEnd, parseEvent } from './sse-events.ts';
import { isObject } from '../../infra/runtime/json.ts';

/** A part of a text that continues in later events. */
interface Piece {
  text: string;
  /** The masked part, as far as it is decided. */
  shown: string;
  replace: (text: string) => void;
}

/** A text that arrives in pieces. */
interface TextStream {
  mask: SecretMask;
  /** Pieces that are not completely decided. */
  open: Piece[];
}

interface HeldEvent {
  bytes: Buffer;
  chunk: unknown;
  pieces: Piece[];
}

type JsonObject = Record<string, unknown>;

/** The most bytes to hold; beyond that, undecided text is masked. */
const MAX_HELD_BYTES = 1024 * 1024;
/** The most texts to distinguish; texts beyond that are treated as one. */
const MAX_TEXTS = 1_000;
const OTHERS = 'others';
const MAX_KEY_LENGTH = 100;
const TEXT_FIELDS = ['content', 'refusal', 'reasoning_content', 'reasoning'];

/**
 * Masks secrets that a server spreads over several chunks of a stream. An event in which a secret may begin is held until
 * later events decide; if it contains no part of a secret, its bytes are not changed. Secrets within one event are masked
 * elsewhere. Most events are not parsed, because no secret can begin in them (`Secrets.suspects`): `isClear` is the only door.
 */
export class SseSecrets {
  private held: HeldEvent[] = [];
  private heldBytes = 0;
  private readonly texts = new Map<string, TextStream>();

  constructor(private readonly secrets: Secrets) {}

  /** Accepts complete events, and returns those that can be forwarded. */
  push(bytes: Buffer): Buffer {
    const { suspects } = this.secrets;
    if (suspects === null) return bytes;
    const text = bytes.toString('latin1');
    const parts: Buffer[] = [];
    for (let from = 0; from < bytes.length;) {
      if (this.isClear()) {
        const start = findSuspectEvent(suspects, bytes, text, from);
        if (start === bytes.length && from === 0) return bytes;
        parts.push(bytes.subarray(from, start));
        from = start;
        if (from === bytes.length) break;
      }
      const end = findEventEnd(bytes, from);
      this.take(bytes.subarray(from, end));
      from = end;
      if (this.heldBytes > MAX_HELD_BYTES) this.closeAll();
      for (const event of this.ready()) parts.push(written(event));
    }
    return Buffer.concat(parts);
  }

  /** Returns the remaining events at the end of the stream. */
  end(): Buffer {
    this.closeAll();
    return Buffer.concat(this.ready().map(written));
  }

  /**
   * Whether no secret may have begun in what was pushed. Then events without a suspect position need not be parsed, and
   * nothing before them counts.
   */
  private isClear(): boolean {
    if (this.held.length > 0) return false;
    for (const [key, { mask }] of this.texts) {
      if (!mask.isClear) return false;
      this.texts.delete(key);
    }
    return true;
  }

  private take(bytes: Buffer): void {
    const chunk = parseEvent(bytes.toString('utf8'));
    const event: HeldEvent = { bytes, chunk, pieces: [] };
    for (const { key, text, replace } of textsOf(chunk)) {
      const stream = this.streamOf(key);
      const piece: Piece = { text, shown: '', replace };
      event.pieces.push(piece);
      stream.open.push(piece);
      fill(stream.open, stream.mask.push(text));
    }
    this.held.push(event);
    this.heldBytes += bytes.length;
  }

  private streamOf(key: string): TextStream {
    const isOne = this.texts.size < MAX_TEXTS && !this.texts.has(OTHERS);
    const name = isOne ? key : OTHERS;
    const known = this.texts.get(key) ?? this.texts.get(name);
    if (known) return known;
    const made = { mask: new SecretMask(this.secrets), open: [] };
    this.texts.set(name, made);
    return made;
  }

  private closeAll(): void {
    for (const { mask, open } of this.texts.values()) fill(open, mask.end());
  }

  private ready(): HeldEvent[] {
    const waiting = this.held.findIndex(({ pieces }) =>
      pieces.some(({ text, shown }) => shown.length < text.length),
    );
    const ready = this.held.splice(0, waiting < 0 ? this.held.length : waiting);
    for (const { bytes } of ready) this.heldBytes -= bytes.length;
    return ready;
  }
}

/** Returns the start of the first event that may contain a part of a secret, or the end of the bytes. */
function findSuspectEvent(suspects: RegExp, bytes: Buffer, text: string, from: number): number {
  suspects.lastIndex = from;
  const found = suspects.exec(text);
  return found === null ? bytes.length : from + findLastEventEnd(bytes.subarray(from, found.index));
}

/** Distributes masked text to the open pieces in order: masks preserve lengths. */
function fill(open: Piece[], shown: string): void {
  let rest = shown;
  for (let piece = open[0]; piece; piece = open[0]) {
    const part = rest.slice(0, piece.text.length - piece.shown.length);
    piece.shown += part;
    rest = rest.slice(part.length);
    if (piece.shown.length < piece.text.length) return;
    open.shift();
  }
}

const isMasked = ({ text, shown }: Piece) => text !== shown;

function written({ bytes, chunk, pieces }: HeldEvent): Buffer {
  const masked = pieces.filter(isMasked);
  if (masked.length === 0) return bytes;
  for (const { shown, replace } of masked) replace(shown);
  // In the Responses API, events have names.
  const name = /^event:.*$/m.exec(bytes.toString('utf8'))?.[0];
  return Buffer.from(`${name === undefined ? '' : `${name.trimEnd()}\n`}data: ${JSON.stringify(chunk)}\n\n`);
}

/** Returns the texts of a chunk that continue in later chunks, each with its key. */
function textsOf(chunk: unknown): { key: string; text: string; replace: (text: string) => void }[] {
  if (!isObject(chunk)) return [];
  const { choices } = chunk;
  if (typeof chunk.delta === 'string') return textIn(chunk, 'delta', responseTextKey(chunk));
  if (!Array.isArray(choices)) return [];
  return (choices as unknown[]).flatMap((choice, position) => {
    if (!isObject(choice) || !isObject(choice.delta)) return [];
    const { delta } = choice;
    const name = indexOf(choice, position);
    const calls = Array.isArray(delta.tool_calls) ? (delta.tool_calls as unknown[]) : [];
    return [
      ...TEXT_FIELDS.flatMap((field) => textIn(delta, field, `${name} ${field}`)),
      ...calls.flatMap((call, i) =>
        isObject(call) && isObject(call.function)
          ? textIn(call.function, 'arguments', `${name} call ${indexOf(call, i)}`)
          : [],
      ),
    ];
  });
}

/** Identifies a text of the Responses API: what it is, and its place in the output. */
function responseTextKey({ type, output_index, content_index, summary_index }: JsonObject): string {
  return [type, output_index, content_index, summary_index].map(String).join(' ').slice(0, MAX_KEY_LENGTH);
}

function textIn(object: JsonObject, field: string, key: string) {
  const text = object[field];
  if (typeof text !== 'string' || text === '') return [];
  return [{ key, text, replace: (shown: string) => void (object[field] = shown) }];
}

/** Returns its `index`, or else its position. */
const indexOf = ({ index }: JsonObject, place: number) => (typeof index === 'number' ? index : place);
