const DRAIN_MS = 1_000;

/**
 * Lets the connection of a streamed answer be used again: the client stops at `[DONE]`, a moment before the body
 * ends, and cancelling there would cost every next call a new handshake. An abort still ends it at once.
 */
export function reusable(response: Response): Response {
  const { body } = response;
  if (body) {
    const getReader = () => {
      const reader = body.getReader();
      return { read: () => reader.read(), cancel: () => void drain(reader), releaseLock: () => undefined };
    };
    Object.defineProperty(response, 'body', { value: { getReader } });
  }
  return response;
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const cancel = () => void reader.cancel().catch(() => undefined);
  const timer = setTimeout(cancel, DRAIN_MS).unref();
  try {
    while (!(await reader.read()).done);
  } catch {
    // Cut or aborted: the connection is gone, and the answer was whole.
  } finally {
    clearTimeout(timer);
  }
}
