import {
  MAX_FRAME_BYTES,
  PRODUCT_EVENT,
  WIRE_EVENT,
  type Frame,
  type FrameMethod,
  type ProductEvent,
  type ProductEventFields,
  type ProductEventName,
  type WireEventName,
} from '@platform/contracts';

/** An escaped character has at most six bytes, so a delta of this length always fits into a frame. */
const MAX_DELTA_CHARS = 5_000;

/** The length to which strings are truncated in a frame that is too large. */
const TRUNCATED_CHARS = 2_000;
/** The number of elements to which arrays and objects are truncated in such a frame. */
const TRUNCATED_ITEMS = 100;

const DATA = 'data: ';
const head = (method: FrameMethod) => `{"type":"event","method":"${method}"`;
const PRODUCT_EVENT_LINE = DATA + head('custom:platform');

/** A frame without its `seq`: the method and the JSON of `params.data`. */
export interface Draft {
  method: FrameMethod;
  data: string;
}

/** `params.data` of a decoded frame; every method names its events. */
export interface FrameData {
  event?: string;
  [field: string]: unknown;
}

/** Returns the draft of a product event; `data.event` is its wire name. */
export function productEvent<N extends ProductEventName>(name: N, fields: ProductEventFields[N]): Draft {
  return draft('custom:platform', { event: WIRE_EVENT[name], ...fields });
}

/** Returns the draft of a frame. Data that does not fit into a frame is truncated and marked with `truncated`. */
export function draft(method: FrameMethod, data: object): Draft {
  const json = JSON.stringify(data);
  if (json.length * 3 < MAX_FRAME_BYTES || Buffer.byteLength(json) < MAX_FRAME_BYTES - 512)
    return { method, data: json };
  for (let chars = TRUNCATED_CHARS, items = TRUNCATED_ITEMS; ; chars = half(chars), items = half(items)) {
    const truncated = JSON.stringify(truncate(data, { chars, items }));
    if (Buffer.byteLength(truncated) <= MAX_FRAME_BYTES - 512 || items === 1)
      return { method, data: truncated };
  }
}

/** Splits text into pieces that fit into a frame, never inside a surrogate pair. */
export function splitDelta(text: string): string[] {
  if (text.length <= MAX_DELTA_CHARS) return [text];
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + MAX_DELTA_CHARS, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

/** Returns one frame as it is stored and sent: an `id:` line, a `data:` line, and an empty line. */
export function encodeFrame(
  segment: number,
  seq: number,
  { method, data }: Draft,
  timestamp: number,
): string {
  return `id: ${segment}.${seq}\n${DATA}${head(method)},"params":{"namespace":[],"timestamp":${timestamp},"data":${data}},"seq":${seq}}\n\n`;
}

/** Decodes the frames in stored bytes, which begin and end at the boundary of a frame. */
export function* decodeFrames(bytes: Buffer): Generator<Frame<FrameData>> {
  for (const line of dataLines(bytes)) yield decodeLine(line);
}

/** Like `decodeFrames`, but the latest frame first. */
export function* decodeLatestFrames(bytes: Buffer): Generator<Frame<FrameData>> {
  for (const line of dataLines(bytes).reverse()) yield decodeLine(line);
}

/** Decodes the product events in stored bytes. Frames with other methods are not parsed. */
export function* decodeProductEvents(bytes: Buffer): Generator<ProductEvent> {
  for (const line of dataLines(bytes)) {
    if (!line.startsWith(PRODUCT_EVENT_LINE)) continue;
    const { data } = decodeLine(line).params;
    yield { ...data, event: PRODUCT_EVENT[data.event as WireEventName] } as ProductEvent;
  }
}

/** Returns the stored frames after `position`; `fromSeq` is the first frame in `bytes`. */
export function framesAfter(bytes: Buffer, fromSeq: number, position: number): Buffer {
  let start = 0;
  for (let seq = fromSeq; seq <= position; seq++) start = bytes.indexOf('\n\n', start) + 2;
  return start === 0 ? bytes : bytes.subarray(start);
}

/** Removes an incomplete first frame from stored bytes that were cut at an arbitrary position. */
export function completeFrames(bytes: Buffer): Buffer {
  return /^id: \d+\.\d+\n/.test(bytes.subarray(0, 32).toString('latin1'))
    ? bytes
    : bytes.subarray(bytes.indexOf('\n\n') + 2);
}

function dataLines(bytes: Buffer): string[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line.startsWith(DATA));
}

function decodeLine(line: string): Frame<FrameData> {
  return JSON.parse(line.slice(DATA.length)) as Frame<FrameData>;
}

/** How much is kept of each string, and of each array or object below the top level. */
interface Limits {
  chars: number;
  items: number;
}

function truncate(data: object, limits: Limits): object {
  const fields = Object.entries(data).map(([key, field]) => [key, truncateValue(field, limits)] as const);
  return { ...Object.fromEntries(fields), truncated: true };
}

function truncateValue(value: unknown, limits: Limits): unknown {
  if (typeof value === 'string') return truncateText(value, limits.chars);
  if (Array.isArray(value)) return value.slice(0, limits.items).map((item) => truncateValue(item, limits));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).slice(0, limits.items);
  return Object.fromEntries(
    fields.map(([key, field]) => [truncateText(key, limits.chars), truncateValue(field, limits)]),
  );
}

function truncateText(text: string, chars: number): string {
  return text.length > chars ? `${text.slice(0, chars)}…` : text;
}

function half(limit: number): number {
  return Math.max(1, Math.floor(limit / 2));
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
