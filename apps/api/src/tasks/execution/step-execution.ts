import type { UserPrincipal } from '../../auth/principals/principal.ts';
import type { ActiveRun } from './active-run.ts';
import type { StepBegin } from './run-endings.store.ts';
import { RunSuperseded, type RunWritesService } from './run-writes.service.ts';

/** A step that starts itself is stored while it executes if it takes longer. A shorter one is stored once, with its end. */
const SHORT_MS = 250;

/** The owner of the task is no longer a member of the space. */
export class OwnerLeft extends Error {}

/** One execution of a step: it looks its owner up, and stores that it has begun, before the step has any effect. */
export class StepExecution {
  /** Aborts when the step is to stop. */
  readonly signal: AbortSignal;
  private readonly owner: Promise<UserPrincipal | null>;
  private readonly left = new AbortController();
  /** Resolves when it is stored how the steps before it ended. */
  private before: Promise<void> = Promise.resolve();
  private starting: Promise<void> | null = null;
  private timer: NodeJS.Timeout | null = null;
  private isInputStored = true;

  constructor(
    private readonly active: ActiveRun,
    private readonly writes: RunWritesService,
    readonly begun: StepBegin,
    findOwner: () => Promise<UserPrincipal | null>,
  ) {
    this.signal = AbortSignal.any([active.signal, this.left.signal]);
    this.owner = findOwner();
    this.owner.then(
      (owner) => owner ?? this.left.abort(new OwnerLeft()),
      () => undefined,
    );
  }

  /** Lets the step execute, which calls `start` itself. How those before it ended is stored meanwhile. */
  goAhead(): void {
    this.before = this.writes.storeEnds(this.active);
    this.before.catch(() => undefined);
    this.timer = setTimeout(() => void this.start().catch(() => undefined), SHORT_MS);
  }

  /** Stores that it has begun, unless that is stored. Rejects if the owner has left, or the run no longer belongs to this process. */
  async start(): Promise<UserPrincipal> {
    this.starting ??= this.before.then(() => this.writes.startStep(this.active, this.describe()));
    const [owner] = await Promise.all([this.owner, this.starting]);
    if (owner === null) throw new OwnerLeft();
    return owner;
  }

  /**
   * Resolves, once the step no longer executes, when nothing is being stored any more. Rejects with OwnerLeft as if the step had not
   * begun, or with what has prevented that it is stored how the steps before it ended.
   */
  async settle(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    await this.before;
    await this.starting?.catch((error: unknown) => {
      if (error instanceof RunSuperseded) throw error;
      this.isInputStored = false;
    });
    // Nobody looks for the owner of a run that was stopped.
    const owner = await this.owner.catch(() => undefined);
    if (owner !== null) return;
    if (this.starting !== null) await this.writes.removeStart(this.active, this.begun);
    throw new OwnerLeft();
  }

  /** What is stored of it now. */
  describe(): StepBegin {
    return this.isInputStored ? this.begun : { ...this.begun, input: null };
  }
}
