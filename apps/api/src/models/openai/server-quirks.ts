/** How a server can differ from OpenAI's: it rejects `stream_options`, or requires `max_completion_tokens`. */
export type ServerQuirk = 'no-stream-options' | 'max-completion-tokens';

const REMEMBERED_MS = 3_600_000;

/** The quirk that an error response (400 or 422) indicates, or null if the request cannot have caused it. */
export function quirkIn(sent: object, refusal: string): ServerQuirk | null {
  if ('stream_options' in sent && /stream_options|include_usage/.test(refusal)) return 'no-stream-options';
  if ('max_tokens' in sent && refusal.includes('max_completion_tokens')) return 'max-completion-tokens';
  return null;
}

/**
 * The known quirks of one server. A quirk is remembered when a request that avoids it has succeeded, because an error
 * message can mention anything; and only for an hour, because without `stream_options` the usage is estimated.
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
