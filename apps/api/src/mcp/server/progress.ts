import type { ServerContext } from '@modelcontextprotocol/server';

/** Clients that give up on silent calls do so after a minute, or later. */
const EVERY_MS = 2_000;

/** Tells the client that a call goes on, if it asked for that, for as long as the work takes. */
export async function withProgress<T>(
  { mcpReq: { _meta: meta, notify } }: ServerContext,
  work: () => Promise<T>,
): Promise<T> {
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return work();
  const began = performance.now();
  const report = () => {
    const progress = Math.round((performance.now() - began) / 1_000);
    const params = { progressToken, progress, message: `Working for ${progress} s` };
    // A client that has left learns nothing more.
    notify({ method: 'notifications/progress', params }).catch(() => clearInterval(timer));
  };
  const timer = setInterval(report, EVERY_MS).unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
