import { AppError } from '../../infra/errors/app-error.ts';
import { ProviderError } from '../port/model-provider.ts';

/** Returns a sentence for a failed call of a server, or `late` if its time was over. Throws errors that have no such sentence. */
export function failureMessage(error: unknown, signal: AbortSignal, late: string): string {
  if (signal.aborted) return late;
  if (error instanceof ProviderError || error instanceof AppError) return error.message;
  throw error;
}
