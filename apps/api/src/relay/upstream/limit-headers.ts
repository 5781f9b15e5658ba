import type { Response } from 'express';
import type { Secrets } from '../../models/port/secrets.ts';

const PREFIX = 'x-ratelimit-';
const DURATION = 'openai-processing-ms';

/** Forwards the headers that tell the limits of the server, and how long it took. */
export function forwardLimits(
  res: Response,
  headers: Record<string, string | string[] | undefined>,
  secrets: Secrets,
): void {
  for (const name in headers) {
    if (!name.startsWith(PREFIX) && name !== DURATION) continue;
    const value = headers[name];
    if (typeof value === 'string') res.setHeader(name, secrets.mask(value));
  }
}
