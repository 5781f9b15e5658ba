/**
 * Aborts the controller as soon as one of the signals is aborted; the returned function ends that. A signal may live as
 * long as the application: `AbortSignal.any` would leave something at it each time.
 */
export function passAbortOn(signals: (AbortSignal | undefined)[], controller: AbortController): () => void {
  const links = signals.flatMap((signal) => {
    if (signal === undefined) return [];
    const abort = () => controller.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    return [() => signal.removeEventListener('abort', abort)];
  });
  return () => {
    for (const unlink of links) unlink();
  };
}
