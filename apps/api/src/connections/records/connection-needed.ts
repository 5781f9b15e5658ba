import type { ConnectionOwner } from '@platform/contracts';
import { AppError } from '../../infra/errors/app-error.ts';

/** A connection, or the one that a person does not have yet: then it has no id. */
interface SoughtConnection {
  id?: string;
  providerId: string;
  /** Null: the space owns it. */
  ownerUserId: string | null;
}

/** A person has to connect, or to sign in again, before a tool can be called. */
export class ConnectionNeeded extends AppError {
  /** The page of the console that offers it. */
  readonly path: string;
  /** Whose connection it is. */
  readonly owner: ConnectionOwner;

  constructor(message: string, sought: SoughtConnection) {
    super('CONFLICT', message);
    this.path = connectionPath(sought);
    this.owner = sought.ownerUserId === null ? 'space' : 'me';
  }
}

/** The page on which the owner of a connection signs in, for the first time or again. */
export function connectionPath({ id, providerId, ownerUserId }: SoughtConnection): string {
  return ownerUserId === null && id !== undefined
    ? `/connections?connection=${id}`
    : `/connections?connect=${providerId}`;
}
