import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

export interface RemovedMember {
  spaceId: string;
  userId: string;
}

/** Runs in the transaction that removes the member. An error prevents the removal. */
export type MemberRemovedHandler = (tx: EntityManager, removed: RemovedMember) => Promise<void>;

/** Runs what other modules do when a person leaves a space, such as disabling the person's tasks. */
@Injectable()
export class MemberRemovalsRegistry {
  private readonly handlers: MemberRemovedHandler[] = [];

  /** To be called in `onModuleInit`. */
  onMemberRemoved(handler: MemberRemovedHandler): void {
    this.handlers.push(handler);
  }

  /** Runs the handlers one after another, because they share a connection. */
  async run(tx: EntityManager, removed: RemovedMember): Promise<void> {
    for (const handler of this.handlers) await handler(tx, removed);
  }
}
