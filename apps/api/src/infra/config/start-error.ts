/** Why the service cannot start, in sentences that contain the remedy. Shown without a stack trace. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}
