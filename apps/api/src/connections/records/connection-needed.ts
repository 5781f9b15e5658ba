import { AppError } from '../../infra/errors/app-error.ts';

/** A person has to connect, or to sign in again, before a tool can be called. */
export class ConnectionNeeded extends AppError {
  constructor(
    message: string,
    /** The page of the console that offers it. */
    readonly path: string,
  ) {
    super('CONFLICT', message);
  }
}
