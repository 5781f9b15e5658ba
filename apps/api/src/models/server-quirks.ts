/** How a server may differ from OpenAI's: it refuses `stream_options`, or wants `max_completion_tokens`. */
export type ServerQuirk = 'no-stream-options' | 'max-completion-tokens';

const REMEMBERED_MS = 3_600_000;

/** The quirk that a refusal (HTTP 400 or 422) hints at; null when the request had nothing to do with one. */
export function quirkIn(sent: object, refusal: string): ServerQuirk | null {
  if ('stream_options' in sent && /stream_options|include_usage/.test(refusal)) return 'no-stream-options';
  if ('max_tokens' in sent && refusal.includes('max_completion_tokens')) return 'max-completion-tokens';
  return null;
}

/**
 * What is known of one server. A quirk is remembered when a request that avoids it succeeded, for a refusal may
 * mention anything; and only for an hour, since without `stream_options` usage is estimated.
 */
export class ServerQuirks {
  private readonly until = new Map<ServerQuirk, number>();

  known(now: number): Set<ServerQuirk> {
    return new Set([...this.until].flatMap(([quirk, until]) => (until > now ? [quirk] : [])));
  }

  remember(avoided: Iterable<ServerQuirk>, now: number): void {
    for (const quirk of avoided) {
      if ((this.until.get(quirk) ?? 0) <= now) this.until.set(quirk, now + REMEMBERED_MS);
    }
  }
}
