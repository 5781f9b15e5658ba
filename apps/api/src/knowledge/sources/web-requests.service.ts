import { Injectable, Logger } from '@nestjs/common';
import { GuardedHttp, OutgoingError, type GuardedResponse } from '../../infra/outgoing/guarded-http.ts';
import { parseRetryAfter } from '../../infra/outgoing/retry-after.ts';
import { isAllowed, NO_RULES, parseRobots, ROBOT, type RobotRules } from './robots.ts';

/** The response of a page, or why there is none that can be used. */
export type WebResponse = { type: 'ok'; response: GuardedResponse } | { type: 'unchanged' } | WebFailure;

export type WebFailure =
  /** There is no such page. */
  | { type: 'missing'; reason: string }
  | { type: 'failed'; reason: string }
  /** It may succeed later: not before `waitMs`, if the server says so. */
  | { type: 'unavailable'; reason: string; waitMs: number };

/** Of a page, after decompression. */
const MAX_PAGE_BYTES = 10 * 1024 * 1024;
const MAX_ROBOTS_BYTES = 512 * 1024;
/** Of a request with its redirects; much less than the lease of a host. */
const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];
const TRANSIENT = [408, 425, 429, 500, 502, 503, 504];
const MAX_WAIT_MS = 3_600_000;

/** Requests pages as a robot that says who it is. */
@Injectable()
export class WebRequestsService {
  private readonly logger = new Logger(WebRequestsService.name);

  constructor(private readonly http: GuardedHttp) {}

  /** Requests a page or a sitemap. Redirects are followed at the same host, to what `robots` allows. */
  async get(
    address: string,
    headers: Record<string, string>,
    signal: AbortSignal,
    { maxBytes = MAX_PAGE_BYTES, robots = NO_RULES }: { maxBytes?: number; robots?: RobotRules } = {},
  ): Promise<WebResponse> {
    const until = performance.now() + TIMEOUT_MS;
    let url = new URL(address);
    try {
      for (let hops = 0; ; hops++) {
        const response = await this.http.fetch(url, {
          headers: { 'User-Agent': `${ROBOT}/1.0`, ...headers },
          maxBytes,
          timeoutMs: Math.max(1, Math.round(until - performance.now())),
          signal,
        });
        const location = REDIRECTS.includes(response.status) ? response.headers.get('location') : null;
        if (location === null) return classify(response);
        const target = URL.parse(location, url);
        if (target === null)
          return { type: 'failed', reason: 'The page redirects to an address that cannot be read.' };
        target.hash = '';
        if (target.host !== url.host)
          return {
            type: 'failed',
            reason: `The page redirects to another host: use the address ${target.href.slice(0, 200)}`,
          };
        if (!isAllowed(robots, target))
          return {
            type: 'failed',
            reason: 'The page redirects to one that the robots.txt of the host does not allow.',
          };
        if (hops === MAX_REDIRECTS) return { type: 'failed', reason: 'The page redirects too often.' };
        url = target;
      }
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      // Members of a space learn nothing about the network; who operates the service does.
      if (error.isBlocked)
        this.logger.warn(
          { err: error },
          'A source is at a private address: see PLATFORM_ALLOWED_PRIVATE_HOSTS',
        );
      const reason = error.isConnectionFailure
        ? 'The address could not be reached.'
        : `The response was larger than ${maxBytes / 1024 / 1024} MB, too slow, or cut off.`;
      return { type: 'unavailable', reason, waitMs: 0 };
    }
  }

  /** Reads the robots.txt of the host of `address`. Without one, everything is allowed (RFC 9309). */
  async getRobots(address: string, signal: AbortSignal): Promise<RobotRules | WebFailure> {
    const { origin } = new URL(address);
    const found = await this.get(`${origin}/robots.txt`, { Accept: 'text/plain, */*' }, signal, {
      maxBytes: MAX_ROBOTS_BYTES,
    });
    if (found.type === 'ok') return parseRobots(found.response.text());
    if (found.type !== 'unavailable') return NO_RULES;
    return { ...found, reason: `The robots.txt of the host could not be read. ${found.reason}` };
  }
}

function classify(response: GuardedResponse): WebResponse {
  const { status, headers } = response;
  if (status === 200) return { type: 'ok', response };
  if (status === 304) return { type: 'unchanged' };
  const reason = `The server returned status ${status}.`;
  if (status === 404 || status === 410) return { type: 'missing', reason };
  if (!TRANSIENT.includes(status)) return { type: 'failed', reason };
  const waitMs = Math.min(parseRetryAfter(headers.get('retry-after'), Date.now()) ?? 0, MAX_WAIT_MS);
  return { type: 'unavailable', reason, waitMs };
}
