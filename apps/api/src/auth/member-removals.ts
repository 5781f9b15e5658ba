import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

export interface RemovedMember {
  spaceId: string;
  userId: string;
}

/** Runs in the transaction that removes the member; an error keeps the person in the space. */
export type MemberRemovedHandler = (tx: EntityManager, removed: RemovedMember) => Promise<void>;

/** What other modules do when a person leaves a space, such as disabling the person's tasks. */
@Injectable()
export class MemberRemovals {
  private readonly handlers: MemberRemovedHandler[] = [];

  /** Call it in `onModuleInit`. */
  onMemberRemoved(handler: MemberRemovedHandler): void {
    this.handlers.push(handler);
  }

  /** One after another: they share a transaction, and with it a connection. */
  async run(tx: EntityManager, removed: RemovedMember): Promise<void> {
    for (const handler of this.handlers) await handler(tx, removed);
  }
}
