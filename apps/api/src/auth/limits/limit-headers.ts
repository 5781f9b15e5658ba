import type { Request, Response } from 'express';
import type { Room, WindowLimit } from './sliding-window.ts';

/** The values of `RateLimit-Policy` and `RateLimit`: the limits that count a request, and what one of them leaves. */
export interface LimitHeaders {
  policy: string;
  limit: string;
}

/** A caller that is counted by its address. */
export interface UnknownCaller {
  address: string;
  tellLimits: (headers: LimitHeaders) => void;
}

export const unknownCaller = (req: Request, res: Response): UnknownCaller => ({
  address: req.ip ?? '',
  tellLimits: (headers) => tellLimits(res, headers),
});

export const formatPolicy = (name: string, { limit, windowMs }: WindowLimit): string =>
  `"${name}";q=${limit};w=${windowMs / 1000}`;

export const formatRoom = (name: string, { remaining, resetSeconds }: Room): string =>
  `"${name}";r=${remaining};t=${resetSeconds}`;

/** Sets the headers, after those of other limits that count the same request. */
export function tellLimits(res: Response, { policy, limit }: LimitHeaders): void {
  for (const [name, value] of [
    ['RateLimit-Policy', policy],
    ['RateLimit', limit],
  ] as const) {
    const told = res.getHeader(name);
    res.setHeader(name, typeof told === 'string' ? `${told}, ${value}` : value);
  }
}
