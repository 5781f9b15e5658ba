import { Injectable } from '@nestjs/common';
import type { Step, StepKind, Trigger } from '@platform/contracts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import type { Sql } from '../../infra/database/rows.ts';

/** What a step of a run knows. */
export interface ActionContext {
  runId: string;
  /** Numbered from 1. */
  attempt: number;
  spaceId: string;
  /** The owner of the task, without a request; `causationRunId` is the run. */
  owner: UserPrincipal;
  /** With its templates resolved. */
  step: Step;
  /** `<run>:<attempt>:<step>`: the same only for a repetition of the same call. */
  stepKey: string;
  /** Aborts when the run is cancelled, times out, or no longer belongs to this process. */
  signal: AbortSignal;
  /** Appends a line to the log of the step; what exceeds the limit of the run is dropped. */
  log: (line: string) => void;
  /** Null for runs that a person or a schedule started. */
  trigger: Trigger | null;
  inputs: Record<string, unknown>;
  /** The outputs of the steps that have succeeded, by step id. */
  steps: Record<string, { output: unknown }>;
}

/** What steps of one kind do. */
export interface Action {
  kind: StepKind;
  /** Returns one sentence per problem with a stored step; each starts with its path. */
  validate(
    sql: Sql,
    where: { spaceId: string; owner: UserPrincipal },
    step: Step,
    path: string,
  ): Promise<string[]>;
  /** Returns the output of the step: a JSON value. Stops soon after the signal aborts. */
  run(context: ActionContext): Promise<unknown>;
}

/** The actions of the modules that run steps. Each module registers its own in `onModuleInit`. */
@Injectable()
export class ActionRegistry {
  private readonly actions = new Map<StepKind, Action>();

  register(action: Action): void {
    if (this.actions.has(action.kind)) throw new Error(`Steps of kind ${action.kind} already have an action`);
    this.actions.set(action.kind, action);
  }

  get(kind: StepKind): Action | null {
    return this.actions.get(kind) ?? null;
  }
}
