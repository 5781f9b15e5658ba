import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Step, Trigger } from '@platform/contracts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import type { Sql } from '../../infra/database/rows.ts';
import type { JsonObject } from '../../infra/runtime/json.ts';
import { findStepKind, listStepKinds, type AnyStep } from './step-kinds.ts';

/** What a step of a run knows before it is stored that it is executed. */
export interface StartingContext<S extends AnyStep = Step> {
  runId: string;
  /** Numbered from 1. */
  attempt: number;
  spaceId: string;
  ownerUserId: string;
  /** With its templates resolved. */
  step: S;
  /** As the task defines it, with its templates. Absent: it is a call of code. */
  definition?: S;
  /** Where the step stands in the run, such as `charge` or `orders[3].charge`. */
  scope: string;
  /** `<run>:<scope>:<execution>`: the same only for an execution of the step that continues one that was interrupted. */
  stepKey: string;
  /** `<run>:<scope>`: the same in all attempts of the run. An effect with a key happens once, however often the step runs. */
  effectKey: string;
  /** The effect key, but another one after a retry that began at an earlier step, which has the step executed once more. */
  startKey: string;
  /**
   * Stores that the step is executed, unless that is stored: it has no effect before. Returns the owner of the task, without a request;
   * `causationRunId` is the run. Rejects if that person has left the space, or the run no longer belongs to this process.
   */
  start: () => Promise<UserPrincipal>;
  /** Stores that the step may have an effect which a repetition would have again, before it has one. */
  markActing: () => Promise<void>;
  /** Whether it may return a `StepWait`: code waits for what it calls. */
  mayWait: boolean;
  /** Whether the run is a test: its steps may change data, but emit no events and start no tasks. */
  isTest: boolean;
  /** What a call of code returns in a test without being made; null: it is made. Absent: no call is left out. */
  simulate?: (called: Step, hasEffects: boolean) => Promise<{ output: unknown } | null>;
  /** Aborts when the run is cancelled, times out, or no longer belongs to this process. */
  signal: AbortSignal;
  /** Appends a line to the log of the step; what exceeds the limit of the run is dropped. */
  log: (line: string) => void;
  /** Null for runs that a person or a schedule started. */
  trigger: Trigger | null;
  inputs: Record<string, unknown>;
  /** The outputs of the steps that have ended before it, by step id. */
  steps: Record<string, { output: unknown }>;
  /** In a step that is executed for each item. */
  item?: unknown;
  index?: number;
}

/** What a step of a run knows. */
export interface ActionContext<S extends AnyStep = Step> extends StartingContext<S> {
  /** What `start` returned. */
  owner: UserPrincipal;
}

export interface StepEffects {
  /** Whether anything changes outside of the run. */
  hasEffects: boolean;
  /** Whether a repetition would have an effect again. */
  acts: boolean;
}

/** What executes the steps of one kind: an injectable with `@RunsSteps`. */
export interface Action<S extends AnyStep = Step> {
  /** Returns one sentence per problem with what a step refers to; each starts with its path. Absent: it refers to nothing. */
  validate?(
    sql: Sql,
    where: { spaceId: string; owner: UserPrincipal },
    step: S,
    path: string,
  ): Promise<string[]>;
  /** What executing a step with its templates resolved does outside of the run. Absent: what its kind says. */
  findEffects?(spaceId: string, step: S): Promise<StepEffects>;
  /** What the step could return. Absent: null. */
  example?(spaceId: string, step: S): unknown;
  /** Returns the output of the step: a JSON value, or a `StepWait`. Stops soon after the signal aborts. */
  run(context: ActionContext<S>): Promise<unknown>;
}

/** Finds the action of a kind in the module that provides it. */
@Injectable()
export class ActionRegistry implements OnModuleInit {
  constructor(private readonly modules: ModuleRef) {}

  /** An action that no module provides fails the start, not the first run. */
  onModuleInit(): void {
    for (const { kind } of listStepKinds()) this.get(kind);
  }

  /** What executing a step with its templates resolved does outside of the run. */
  async findEffects(spaceId: string, step: Step): Promise<StepEffects> {
    const kind = findStepKind(step.kind);
    const found = await this.get(step.kind)?.findEffects?.(spaceId, step);
    if (found !== undefined) return found;
    const acts = kind?.acts ?? true;
    return { acts, hasEffects: kind?.hasEffects?.(step as object as AnyStep & JsonObject) ?? acts };
  }

  get(kind: string): Action | null {
    const action = findStepKind(kind)?.action;
    return action === undefined || action === null
      ? null
      : this.modules.get<Action>(action, { strict: false });
  }
}
