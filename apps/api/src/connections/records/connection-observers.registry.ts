import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** A connection that has become usable. */
export interface UsableConnection {
  spaceId: string;
  /** Where `ConnectionNeeded` sent those who wait for it. */
  path: string;
  /** Null: the space owns it. */
  ownerUserId: string | null;
  connectedBy: string;
}

/** Who waits for connections. */
export interface ConnectionObserver {
  /**
   * Called in the transaction that stores the new credentials, so it may only write: the credentials are readable after
   * the commit. An error prevents the connection.
   */
  usable(tx: EntityManager, connection: UsableConnection): Promise<void>;
}

/** What other modules do when a person has connected, or has signed in again. */
@Injectable()
export class ConnectionObserversRegistry {
  private readonly observers: ConnectionObserver[] = [];

  /** To be called in `onModuleInit`. */
  register(observer: ConnectionObserver): void {
    this.observers.push(observer);
  }

  /** Tells one observer after another, because they share a connection of the database. */
  async usable(tx: EntityManager, connection: UsableConnection): Promise<void> {
    for (const observer of this.observers) await observer.usable(tx, connection);
  }
}
