import type { Frame } from '@platform/contracts';

export interface StreamedAnswer {
  status: number;
  headers: Headers;
  /** The body as it came, without heartbeats. */
  bytes: string;
  frames: Frame<Record<string, unknown>>[];
}

/** Reads a streamed answer to its end. */
export async function readStream(response: Response): Promise<StreamedAnswer> {
  const bytes = (await response.text()).replaceAll(':\n\n', '');
  return { status: response.status, headers: response.headers, bytes, frames: framesIn(bytes) };
}

/** The frames in the text of a stream. */
export function framesIn(text: string): Frame<Record<string, unknown>>[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)) as Frame<Record<string, unknown>>);
}

/** The wire names of the product events, in their order. */
export function eventNames(frames: Frame<Record<string, unknown>>[]): string[] {
  return frames
    .filter(({ method }) => method === 'custom:platform')
    .map(({ params }) => String(params.data.event));
}

/** The data of the first product event of that wire name. */
export function eventData(frames: Frame<Record<string, unknown>>[], name: string): Record<string, unknown> {
  const frame = frames.find(
    ({ method, params }) => method === 'custom:platform' && params.data.event === name,
  );
  if (frame === undefined) throw new Error(`No ${name} among ${eventNames(frames).join(', ')}`);
  return frame.params.data;
}

/** The answer's text. */
export function textOf(frames: Frame<Record<string, unknown>>[]): string {
  return frames
    .map(({ params }) => (params.data.event === 'content-delta' ? String(params.data.delta) : ''))
    .join('');
}
