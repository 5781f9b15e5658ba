import { FairQueue, type Leave } from '../../infra/runtime/fair-queue.ts';
import { MAX_LOG_BYTES, MAX_VALUE_BYTES, MAX_VALUES_BYTES } from '../runs/run-budget.ts';
import type { SandboxLimits } from './messages.ts';
import { Probation } from './probation.ts';
import { CodeFailed, SandboxProcess, type ExecutionResult, type SandboxJob } from './sandbox-process.ts';

const MB = 1024 * 1024;

export const SANDBOX_LIMITS: SandboxLimits = {
  memoryBytes: 64 * MB,
  stackBytes: 256 * 1024,
  cpuMs: 10_000,
  sliceMs: 60_000,
  silenceMs: 10_000,
  // More than a run keeps, which then says that lines were dropped.
  logBytes: MAX_LOG_BYTES + 1,
  valueBytes: MAX_VALUE_BYTES,
  calls: 1_000,
  openCalls: 20,
  callBytes: MAX_VALUES_BYTES,
  // Starting a process takes as much CPU as thousands of executions.
  executions: 10_000,
};

const PING_MS = 2_000;
/** A fourth of it is what a start costs. */
const PAUSE_MS = 1_000;
/** After so many processes in a row that ended before they were ready, executions fail. */
const MAX_FAILED_STARTS = 3;

const STUCK = 'The code waits for something that cannot happen: no call is under way';

const closed = () => new Error('The sandbox is closed');

/** An execution with more characters is not sent ahead. */
const MAX_SIZE_AHEAD = 16_384;
/** The most executions that are sent to a process and have not ended. */
const MAX_AHEAD = 8;

/** How many processes can have code that waits for its calls, for each place. Further code keeps its place while it waits. */
const WAITING_PER_PLACE = 2;
/** How often a process that is not needed any more is ended. */
const TRIM_MS = 30_000;

/** A process that works for an owner, in one place, until nothing is left to do. */
interface Stint {
  owner: string;
  process: SandboxProcess;
  /** How many executions have not ended. */
  executions: number;
  /** Gives back the place, or what it has instead while its code waits. */
  leave: Leave;
  isWaiting: boolean;
}

interface Waiter {
  resolve: (process: SandboxProcess) => void;
  reject: (error: unknown) => void;
}

/**
 * Warm processes that execute code. They start when they are first needed; one more than needed is kept ready. Code
 * that waits for its calls leaves its place to other code, and needs one to go on.
 */
export class SandboxPool {
  private readonly processes = new Set<SandboxProcess>();
  private readonly idle: SandboxProcess[] = [];
  private readonly waiters = new Set<Waiter>();
  private pings: NodeJS.Timeout | null = null;
  private isClosed = false;
  private failedStarts = 0;
  private readonly places: FairQueue;
  private readonly probation: Probation;
  /** Those with a place, by what gives it back. */
  private readonly stints = new Map<Leave, Stint>();
  private readonly waitingPlaces: FairQueue;
  private trimmedAt = performance.now();

  constructor(
    /** How many processes execute code at a time. */
    private readonly size: number,
    private readonly limits: SandboxLimits = SANDBOX_LIMITS,
    /** How long an owner waits after code that ended its process. */
    pauseMs = PAUSE_MS,
  ) {
    this.probation = new Probation(pauseMs);
    this.places = new FairQueue({ places: size, leaveRoom: true });
    this.waitingPlaces = new FairQueue({ places: WAITING_PER_PLACE * size, leaveRoom: true });
  }

  /**
   * Executes code as soon as there is a place for its owner. Returns the output as JSON, null if there is none. Code that
   * nothing can continue fails at once.
   */
  async run(job: SandboxJob): Promise<string | null> {
    const result = await this.runSomewhere(job);
    if (result.type === 'done') return result.json;
    throw new CodeFailed({ kind: 'error', message: STUCK, line: null });
  }

  /** Runs the execution alone if it is large, or was returned. */
  private async runSomewhere(job: SandboxJob) {
    const { source, context } = job;
    for (let isAlone = source.length + context.length > MAX_SIZE_AHEAD; ; isAlone = true) {
      if (this.isClosed) throw closed();
      const result = await this.runInTurn(job, isAlone);
      if (result.type !== 'returned') return result;
    }
  }

  private async runInTurn(job: SandboxJob, isAlone: boolean): Promise<ExecutionResult> {
    const { owner, signal } = job;
    if (!this.probation.has(owner)) return this.runInPlace(job, isAlone);
    const leave = await this.probation.enter(owner, signal);
    try {
      return await this.runInPlace(job, true, true);
    } finally {
      leave();
    }
  }

  /** Sends the execution behind others of its owner if it is not to run alone, and they do not take long. */
  private async runInPlace(job: SandboxJob, isAlone: boolean, isInTurn = false): Promise<ExecutionResult> {
    const entered = this.places.enter(job.owner, job.signal, { canShare: !isAlone });
    this.sendAhead(job.owner);
    const leave = await entered;
    const shared = this.stints.get(leave);
    if (shared === undefined && !isInTurn && this.probation.has(job.owner)) {
      // Since it began to wait, other code of its owner has ended a process.
      leave();
      return { type: 'returned' };
    }
    const stint = shared ?? (await this.openStint(job, leave));
    const turn = { pause: () => this.pause(stint), resume: () => this.resume(stint, job.signal) };
    try {
      return await stint.process.run(job, isAlone, turn);
    } finally {
      stint.executions--;
      this.sendAhead(stint.owner);
      if (stint.executions === 0) this.closeStint(stint);
    }
  }

  /** Code that waits leaves its place to others, if there is room for a process beside it. */
  private pause(stint: Stint): void {
    const leaveWaiting = this.waitingPlaces.tryEnter(stint.owner);
    if (leaveWaiting === null) return;
    const { leave } = stint;
    this.stints.delete(leave);
    Object.assign(stint, { leave: leaveWaiting, isWaiting: true });
    leave();
  }

  /** Waits for a place, before code of the owner that has not begun. Rejects with the reason of the signal. */
  private async resume(stint: Stint, signal: AbortSignal): Promise<void> {
    if (!stint.isWaiting) return;
    const leave = await this.places.enter(stint.owner, signal, { isFirst: true });
    if (stint.executions === 0) {
      leave();
      return;
    }
    const leaveWaiting = stint.leave;
    Object.assign(stint, { leave, isWaiting: false });
    this.stints.set(leave, stint);
    leaveWaiting();
  }

  private async openStint({ owner, signal }: SandboxJob, leave: Leave): Promise<Stint> {
    try {
      const process = await this.acquire(signal);
      const stint = { owner, process, executions: 1, leave, isWaiting: false };
      this.stints.set(leave, stint);
      return stint;
    } catch (error) {
      leave();
      throw error;
    }
  }

  private closeStint({ owner, process, leave }: Stint): void {
    if (process.hasEnded) this.probation.note(owner);
    this.stints.delete(leave);
    this.release(process);
    leave();
  }

  /** Lets executions of the owner that wait for a place join those under way. */
  private sendAhead(owner: string): void {
    for (const [leave, stint] of this.stints) {
      if (stint.owner !== owner) continue;
      while (stint.executions < MAX_AHEAD && stint.process.canTakeAhead(owner)) {
        if (!this.places.share(owner, leave)) return;
        stint.executions++;
      }
    }
  }

  /** How many processes have code that waits, and no place. */
  private get waiting(): number {
    return WAITING_PER_PLACE * this.size - this.waitingPlaces.free;
  }

  /** The ids of the processes. */
  get pids(): number[] {
    return [...this.processes].flatMap(({ pid }) => pid ?? []);
  }

  /** Stops telling the processes that the worker is alive, as if the worker were paused. For tests. */
  pausePings(): void {
    if (this.pings) clearInterval(this.pings);
  }

  /** Ends all processes, and with them their executions. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.pausePings();
    this.places.close(closed());
    this.probation.close(closed());
    for (const { reject } of this.waiters) reject(closed());
    this.waiters.clear();
    const processes = [...this.processes];
    for (const process of processes) process.kill();
    await Promise.all(processes.map(({ ended }) => ended));
  }

  private async acquire(signal: AbortSignal): Promise<SandboxProcess> {
    signal.throwIfAborted();
    if (this.isClosed) throw closed();
    const process = this.idle.pop();
    if (this.idle.length === 0) this.grow();
    if (process !== undefined) return process;
    const { promise, resolve, reject } = Promise.withResolvers<SandboxProcess>();
    const waiter = { resolve, reject };
    this.waiters.add(waiter);
    // The spare process serves this execution; another one becomes the spare.
    this.grow();
    const abort = () => {
      if (this.waiters.delete(waiter)) reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    return promise.finally(() => signal.removeEventListener('abort', abort));
  }

  private release(process: SandboxProcess): void {
    if (process.isReusable) this.offer(process);
    else process.kill();
  }

  private offer(process: SandboxProcess): void {
    const [waiter] = this.waiters;
    if (waiter === undefined) {
      this.idle.push(process);
      return;
    }
    this.waiters.delete(waiter);
    waiter.resolve(process);
  }

  /** Starts a process if there is room. */
  private grow(): void {
    if (this.isClosed || this.processes.size - this.waiting >= this.size) return;
    const process = new SandboxProcess(this.limits);
    this.processes.add(process);
    this.pings ??= setInterval(() => this.ping(), PING_MS).unref();
    void process.ready.then(
      () => {
        this.failedStarts = 0;
        this.offer(process);
      },
      () => {
        if (++this.failedStarts >= MAX_FAILED_STARTS) this.refuseWaiters();
      },
    );
    void process.ended.then(() => this.remove(process));
  }

  /** Processes that do not start would not start for the next execution, either. */
  private refuseWaiters(): void {
    this.failedStarts = 0;
    for (const { reject } of this.waiters) reject(new Error('A sandbox process could not start'));
    this.waiters.clear();
  }

  private ping(): void {
    for (const process of this.processes) process.ping();
    this.trim();
  }

  /** Rarely: code that waits again would need another process. */
  private trim(): void {
    const isTooMany = this.processes.size - this.waiting > this.size && this.idle.length > 1;
    if (!isTooMany || performance.now() - this.trimmedAt < TRIM_MS) return;
    this.trimmedAt = performance.now();
    this.idle.shift()?.kill();
  }

  private remove(process: SandboxProcess): void {
    this.processes.delete(process);
    const at = this.idle.indexOf(process);
    if (at !== -1) this.idle.splice(at, 1);
    // Ahead of need: a start takes longer than most executions.
    if (this.waiters.size > 0 || this.idle.length === 0) this.grow();
  }
}
