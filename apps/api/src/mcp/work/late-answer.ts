import { AppError } from '../../infra/errors/app-error.ts';

/** Waits for an answer to be stored, and ignores it if its question is unknown, or was answered or closed meanwhile. */
export async function unlessLate(answering: Promise<unknown>): Promise<void> {
  try {
    await answering;
  } catch (error) {
    const isLate = error instanceof AppError && (error.code === 'CONFLICT' || error.code === 'NOT_FOUND');
    if (!isLate) throw error;
  }
}
