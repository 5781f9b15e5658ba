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
  let cut = CUT_CHARS;
  let short = JSON.stringify(shortened(data, cut));
  while (Buffer.byteLength(short) > MAX_FRAME_BYTES - 512 && cut > 50) {
    cut = Math.floor(cut / 2);
    short = JSON.stringify(shortened(data, cut));
  }
  return { method, data: short };
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

function shortened(value: unknown, chars: number): unknown {
  if (typeof value === 'string') return value.length > chars ? `${value.slice(0, chars)}…` : value;
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => shortened(item, chars));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).slice(0, 100);
  return {
    ...Object.fromEntries(fields.map(([key, field]) => [key, shortenedField(field, chars)])),
    truncated: true,
  };
}

/** Below the top level only the mark of the frame itself is wanted. */
function shortenedField(value: unknown, chars: number): unknown {
  const short = shortened(value, chars);
  if (typeof short === 'object' && short !== null && !Array.isArray(short))
    delete (short as { truncated?: true }).truncated;
  return short;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
