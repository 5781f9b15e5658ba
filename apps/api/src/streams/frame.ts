import {
  MAX_FRAME_BYTES,
  WIRE_EVENT,
  type FrameMethod,
  type ProductEventFields,
  type ProductEventName,
} from '@platform/contracts';

/** At most six bytes per character once escaped, so a delta of this length always fits a frame. */
const MAX_DELTA_CHARS = 5_000;

/** Longest string kept inside a frame that had to be cut. */
const CUT_CHARS = 2_000;
/** Most items of a list or an object inside such a frame. */
const CUT_ITEMS = 100;

/** A frame before it has its `seq`: the method and the JSON of `params.data`. */
export interface Draft {
  method: FrameMethod;
  data: string;
}

/** The draft of a product event; `custom:platform` carries its wire name in `data.event`. */
export function productEvent<N extends ProductEventName>(name: N, fields: ProductEventFields[N]): Draft {
  return draft('custom:platform', { event: WIRE_EVENT[name], ...fields });
}

/** The draft of any frame; what would be larger than a frame may be is cut and marked `truncated`. */
export function draft(method: FrameMethod, data: object): Draft {
  const json = JSON.stringify(data);
  if (json.length * 3 < MAX_FRAME_BYTES || Buffer.byteLength(json) < MAX_FRAME_BYTES - 512)
    return { method, data: json };
  for (let chars = CUT_CHARS, items = CUT_ITEMS; ; chars = half(chars), items = half(items)) {
    const short = JSON.stringify(shortened(data, { chars, items }));
    if (Buffer.byteLength(short) <= MAX_FRAME_BYTES - 512 || items === 1) return { method, data: short };
  }
}

/** Splits text so that each piece fits one frame, never inside a surrogate pair. */
export function deltaPieces(text: string): string[] {
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

/** The bytes of one frame as they travel and as they are stored: `id:` line, `data:` line, empty line. */
export function encodeFrame(
  segment: number,
  seq: number,
  { method, data }: Draft,
  timestamp: number,
): string {
  return `id: ${segment}.${seq}\ndata: {"type":"event","method":"${method}","params":{"namespace":[],"timestamp":${timestamp},"data":${data}},"seq":${seq}}\n\n`;
}

/** The part of stored bytes that lies after `position`; `fromSeq` is the first frame in them. */
export function framesAfter(data: Buffer, fromSeq: number, position: number): Buffer {
  let start = 0;
  for (let seq = fromSeq; seq <= position; seq++) start = data.indexOf('\n\n', start) + 2;
  return start === 0 ? data : data.subarray(start);
}

/** Stored bytes that may begin inside a frame, from the first whole frame on. */
export function wholeFrames(data: Buffer): Buffer {
  return /^id: \d+\.\d+\n/.test(data.subarray(0, 32).toString('latin1'))
    ? data
    : data.subarray(data.indexOf('\n\n') + 2);
}

/** How much is kept of each text, and of each list or object below the frame's own fields. */
interface Limits {
  chars: number;
  items: number;
}

function shortened(data: object, limits: Limits): object {
  const fields = Object.entries(data).map(([key, field]) => [key, cut(field, limits)] as const);
  return { ...Object.fromEntries(fields), truncated: true };
}

function cut(value: unknown, limits: Limits): unknown {
  if (typeof value === 'string') return cutText(value, limits.chars);
  if (Array.isArray(value)) return value.slice(0, limits.items).map((item) => cut(item, limits));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).slice(0, limits.items);
  return Object.fromEntries(fields.map(([key, field]) => [cutText(key, limits.chars), cut(field, limits)]));
}

function cutText(text: string, chars: number): string {
  return text.length > chars ? `${text.slice(0, chars)}…` : text;
}

function half(limit: number): number {
  return Math.max(1, Math.floor(limit / 2));
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
