import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { insertRowIfAbsent } from '../../infra/database/entity-rows.ts';
import { RunEffectEntity } from './run-effect.entity.ts';

/** Names a change that happens once, in whatever attempts of the run. */
export interface RunEffect {
  runId: string;
  /** The same in all attempts of the run. */
  effectKey: string;
}

/** Remembers what runs have changed, in the transactions that change it. */
@Injectable()
export class RunEffectsService {
  /**
   * Returns false if the change was made before: then nothing is stored, and the transaction must change nothing. Waits for
   * another transaction that is making it.
   */
  async record(tx: EntityManager, effect: RunEffect, result: object): Promise<boolean> {
    const values = { ...keyOf(effect), result };
    return (await insertRowIfAbsent(tx, RunEffectEntity, values)) !== null;
  }

  /** Records a change whose result takes the place of an earlier one. */
  async replace(tx: EntityManager, effect: RunEffect, result: object): Promise<void> {
    await tx.upsert(RunEffectEntity, { ...keyOf(effect), result }, ['runId', 'keyHash']);
  }

  /** Returns the result that was recorded. Null: the change was not made. */
  async find(tx: EntityManager, effect: RunEffect): Promise<object | null> {
    return (await tx.findOneBy(RunEffectEntity, keyOf(effect)))?.result ?? null;
  }
}

function keyOf({ runId, effectKey }: RunEffect): Pick<RunEffectEntity, 'runId' | 'keyHash'> {
  return { runId, keyHash: createHash('sha256').update(effectKey).digest() };
}
