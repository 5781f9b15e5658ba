/**
 * Aborts the controller when one of the signals is aborted. Returns a function that removes the listeners.
 * `AbortSignal.any` is not used because a signal can live as long as the application and would keep every listener.
 */
export function forwardAbort(signals: (AbortSignal | undefined)[], controller: AbortController): () => void {
  const removals = signals.flatMap((signal) => {
    if (signal === undefined) return [];
    const abort = () => controller.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    return [() => signal.removeEventListener('abort', abort)];
  });
  return () => {
    for (const remove of removals) remove();
  };
}
