import { Injectable } from '@nestjs/common';
import type { MemberRemoval } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import type { AuditedCall } from '../principals/caller.decorator.ts';

export interface RemovedMember {
  spaceId: string;
  userId: string;
  /** The member who takes over what would stop; null: it stops. */
  transferTo: string | null;
}

/** What a module does when a person leaves a space, such as disabling the person's tasks. */
export interface MemberRemovalPart {
  /** Runs in the transaction that removes the member, under the lock of the space. An error prevents the removal. */
  remove?(tx: EntityManager, removed: RemovedMember, call: AuditedCall): Promise<void>;
  /** Says what the removal would end, and what it would keep. */
  preview?(
    manager: EntityManager,
    removed: RemovedMember,
    call: AuditedCall,
  ): Promise<Partial<MemberRemoval>>;
}

/** What other modules do when a person leaves a space. */
@Injectable()
export class MemberRemovalsRegistry {
  private readonly parts: MemberRemovalPart[] = [];

  /** To be called in `onModuleInit`. */
  register(part: MemberRemovalPart): void {
    this.parts.push(part);
  }

  /** Runs one part after another, because they share a connection. */
  async remove(tx: EntityManager, removed: RemovedMember, call: AuditedCall): Promise<void> {
    for (const part of this.parts) await part.remove?.(tx, removed, call);
  }

  async preview(
    manager: EntityManager,
    removed: RemovedMember,
    call: AuditedCall,
  ): Promise<Partial<MemberRemoval>> {
    const preview: Partial<MemberRemoval> = {};
    for (const part of this.parts) Object.assign(preview, await part.preview?.(manager, removed, call));
    return preview;
  }
}

/** How many of what a person has are counted, */
export const COUNTED = 1_000;
/** and named. */
const NAMED = 10;

/** Counts and names the first of what a person has, of which at most `COUNTED` are given. */
export function holdingsOf(names: readonly string[]): { count: number; names: string[] } {
  return { count: names.length, names: names.slice(0, NAMED) };
}
