import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { pipelined } from '../../infra/database/rows.ts';
import type { TurnFailure, TurnSettings } from '../records/turn.ts';
import type { TurnChange, TurnObserver } from './turn-observer.ts';
import { claimTurn, endTurn, endWaitingTurn, type Ending } from './turn-status.store.ts';

/** What identifies a turn to its observers. `TurnRow` has all of it. */
export interface MovingTurn {
  id: string;
  sessionRef: string;
  settings: Pick<TurnSettings, 'source'>;
}

/** Every change of the status of a stored turn, with what observers store in the same transaction. */
@Injectable()
export class TurnTransitionsService {
  private readonly observers: TurnObserver[] = [];

  /** Registers what moves together with turns. */
  observe(observer: TurnObserver): void {
    this.observers.push(observer);
  }

  /** `from` → RUNNING. Returns the position of the turn in its session so far, or null if it is no longer in `from`. */
  async claim(
    tx: EntityManager,
    turn: MovingTurn,
    from: 'QUEUED' | 'FAILED' | 'INPUT_REQUIRED',
    model: string,
  ): Promise<number | null> {
    const place = await claimTurn(tx, turn.id, from, model);
    if (place !== null) await this.report(tx, turn, { status: 'RUNNING', error: null, finishedAt: null });
    return place;
  }

  /** Ends RUNNING. Returns false if the turn was no longer RUNNING. */
  async end(tx: EntityManager, turn: MovingTurn, ending: Ending): Promise<boolean> {
    const [finishedAt] = await pipelined(endTurn(tx, turn.id, ending), this.free(tx, turn));
    if (finishedAt === null) return false;
    const { status, error } = ending;
    await this.report(tx, turn, { status, error, finishedAt });
    return true;
  }

  /** `from` → CANCELLED with its reason. Returns false if the turn is no longer in `from`. */
  cancel(
    tx: EntityManager,
    turn: MovingTurn,
    from: 'QUEUED' | 'INPUT_REQUIRED' | 'FAILED',
    why: TurnFailure,
  ): Promise<boolean> {
    return this.endWaiting(tx, turn, from, 'CANCELLED', why);
  }

  /** QUEUED → FAILED with its reason. Returns false if the turn has started or ended. */
  fail(tx: EntityManager, turn: MovingTurn, why: TurnFailure): Promise<boolean> {
    return this.endWaiting(tx, turn, 'QUEUED', 'FAILED', why);
  }

  private async endWaiting(
    tx: EntityManager,
    turn: MovingTurn,
    from: 'QUEUED' | 'INPUT_REQUIRED' | 'FAILED',
    status: 'CANCELLED' | 'FAILED',
    why: TurnFailure,
  ): Promise<boolean> {
    const finishedAt = await endWaitingTurn(tx, turn.id, from, status, why);
    if (finishedAt === null) return false;
    // First, because what observers have stored for the turn may itself wait for the session.
    await this.report(tx, turn, { status, error: why, finishedAt });
    await this.free(tx, turn);
    return true;
  }

  private async report(
    tx: EntityManager,
    { id, settings }: MovingTurn,
    change: Omit<TurnChange, 'turnRef'>,
  ): Promise<void> {
    for (const observer of this.observers)
      if (observer.source === settings.source) await observer.turnMoved(tx, { turnRef: id, ...change });
  }

  private async free(tx: EntityManager, { sessionRef }: MovingTurn): Promise<void> {
    await pipelined(...this.observers.map((observer) => observer.sessionFreed(tx, sessionRef)));
  }
}
