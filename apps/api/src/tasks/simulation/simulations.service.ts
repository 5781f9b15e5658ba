import { Injectable } from '@nestjs/common';
import type { Step } from '@platform/contracts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { ActionRegistry } from '../definition/action.registry.ts';
import { findStepKind } from '../definition/step-kinds.ts';
import type { Simulated, TestEffects } from '../runs/run.entity.ts';
import { findLastSuccess, findOutput } from './simulations.store.ts';

/** A step of a test that is not executed. */
interface SimulatedStep {
  spaceId: string;
  taskId: string;
  step: Step;
  /** Null for a call by code, of which no output is stored. */
  scope: string | null;
}

/** Whether a step is left out: `effects` are those of the test, null for a run that is none. */
export function isSimulated(effects: TestEffects | null, kind: string, hasEffects: boolean): boolean {
  const simulated = findStepKind(kind)?.simulated;
  if (effects === null) return false;
  if (simulated === 'always') return true;
  return effects === 'none' && (hasEffects || simulated === 'without-effects');
}

/** What steps of tests return that are not executed. */
@Injectable()
export class SimulationsService {
  constructor(
    private readonly database: BackgroundDatabase,
    private readonly actions: ActionRegistry,
  ) {}

  /** Returns what the step returned in the last run of the task that succeeded, otherwise an example, and which of both it is. */
  async simulate({
    spaceId,
    taskId,
    step,
    scope,
  }: SimulatedStep): Promise<{ output: unknown; simulated: Simulated }> {
    const runId = scope === null ? null : await findLastSuccess(this.database, taskId);
    const last =
      runId === null || scope === null ? null : await findOutput(this.database, runId, scope, step.kind);
    if (last !== null) return { output: last.output, simulated: { by: 'run', runId } };
    const output = (await this.actions.get(step.kind)?.example?.(spaceId, step)) ?? null;
    return { output, simulated: { by: 'example', runId: null } };
  }
}
