import { isDataError } from './data-errors.ts';

interface Waiting<Question, Answer> {
  question: Question;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/** The questions of one lane. */
interface Lane<Question, Answer> {
  waiting: Waiting<Question, Answer>[];
  isAsked: boolean;
}

type NamedLane<Question, Answer> = [name: string, lane: Lane<Question, Answer>];

/** When a batch is large enough, so that the next one need not wait for more questions. */
export interface Gathering {
  isEnough: (questions: number) => boolean;
  /** A smaller batch is asked so long after the one before. */
  maxMs: number;
}

export interface BatchedOptions<Question> {
  gathering?: Gathering;
  /** What the questions of one neighbor have in common, such as their space. Default: all questions are of one lane. */
  laneOf?: (question: Question) => string;
}

const MAX_BATCH = 100;
/** A lane with more questions is asked alone: others would wait for its answers. */
const FEW = 4;
/** How many batches are asked at the same time. At most one of them is of a lane with more than a few questions. */
const MAX_RUNNING = 2;

/**
 * Combines single questions into batches: those of one moment are asked together, and those that come while `ask` runs go
 * into its next run. No question waits for others, unless `gathering` says how long; an answer is never older than its
 * question, and a busy service runs fewer statements.
 *
 * While questions of a lane are asked, those of others are asked beside them, lanes with few questions together: a quiet space
 * waits for no large batch of its neighbor.
 */
export class Batched<Question, Answer> {
  /** Those with questions. The first has waited longest. */
  private readonly lanes = new Map<string, Lane<Question, Answer>>();
  private running = 0;
  /** Whether a run is about to choose its next batch. */
  private isChoosing = false;
  private isLargeAsked = false;
  private askedAt = -Infinity;
  private look: (() => void) | null = null;

  /** `ask` returns one answer per question, in the same order. */
  constructor(
    private readonly ask: (questions: Question[]) => Promise<Answer[]>,
    private readonly options: BatchedOptions<Question> = {},
  ) {}

  get(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const name = this.options.laneOf?.(question) ?? '';
      const lane = this.lanes.get(name) ?? { waiting: [], isAsked: false };
      this.lanes.set(name, lane);
      lane.waiting.push({ question, resolve, reject });
      if (this.isChoosing) this.look?.();
      else if (!lane.isAsked) this.start();
    });
  }

  private start(): void {
    if (this.running === MAX_RUNNING || !this.mayChoose()) return;
    this.running += 1;
    // The answers of one batch lead to the next questions of all who asked, one after another.
    queueMicrotask(() => void this.run());
  }

  private async run(): Promise<void> {
    do {
      const leftMs = this.leftToGather();
      if (leftMs > 0) await this.gather(leftMs);
      const { chosen, areMore } = this.choose();
      this.isChoosing = false;
      if (areMore) this.start();
      if (chosen.length === 0) break;
      await this.askLanes(chosen);
    } while (this.mayChoose());
    this.running -= 1;
  }

  /** Of two runs, one chooses at a time. */
  private mayChoose(): boolean {
    if (this.isChoosing) return false;
    this.isChoosing = true;
    return true;
  }

  /** Returns the lanes of the next batch: one, or those with few questions; and whether questions of others wait. */
  private choose(): { chosen: NamedLane<Question, Answer>[]; areMore: boolean } {
    const idle = [...this.lanes].filter(([, { waiting, isAsked }]) => waiting.length > 0 && !isAsked);
    const few = idle.filter(([, { waiting }]) => waiting.length <= FEW);
    const [first] = this.isLargeAsked ? few : idle;
    if (first === undefined) return { chosen: [], areMore: idle.length > 0 };
    const chosen = few.includes(first) ? few.slice(0, MAX_BATCH / FEW) : [first];
    return { chosen, areMore: chosen.length < idle.length };
  }

  private async askLanes(chosen: readonly NamedLane<Question, Answer>[]): Promise<void> {
    const batch = chosen.flatMap(([, { waiting }]) => waiting.splice(0, MAX_BATCH));
    const isLarge = chosen.length === 1 && batch.length > FEW;
    if (isLarge) this.isLargeAsked = true;
    for (const [name, lane] of chosen) {
      lane.isAsked = true;
      // The next time, others come first.
      this.lanes.delete(name);
      this.lanes.set(name, lane);
    }
    this.askedAt = performance.now();
    await this.answer(batch);
    if (isLarge) this.isLargeAsked = false;
    for (const [name, lane] of chosen) {
      lane.isAsked = false;
      if (lane.waiting.length === 0) this.lanes.delete(name);
    }
  }

  /** Never rejects. */
  private async answer(batch: readonly Waiting<Question, Answer>[]): Promise<void> {
    try {
      const answers = await this.ask(batch.map(({ question }) => question));
      batch.forEach(({ resolve }, i) => resolve(answers[i] as Answer));
    } catch (error) {
      // Any other failure concerns all questions. Repeating each would multiply the load on a database in trouble.
      if (batch.length > 1 && isDataError(error)) await this.askEach(batch);
      else for (const { reject } of batch) reject(error);
    }
  }

  /** In milliseconds. A batch beside another one does not gather. */
  private leftToGather(): number {
    const { gathering } = this.options;
    return gathering === undefined || this.running > 1
      ? 0
      : this.askedAt + gathering.maxMs - performance.now();
  }

  /** Resolves when enough questions wait, or when the time is over. */
  private async gather(maxMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(resolve, maxMs);
    this.look = () => {
      const sizes = [...this.lanes.values()].map(({ waiting }) => waiting.length);
      const count = sizes.reduce((sum, size) => sum + size, 0);
      // Lanes with few questions do not wait for what a neighbor still has to ask.
      const isShared = sizes.length > 1 && sizes.some((size) => size > FEW);
      if (count === 0 || count >= MAX_BATCH || isShared || this.options.gathering?.isEnough(count))
        resolve(undefined);
    };
    this.look();
    await promise;
    this.look = null;
    clearTimeout(timer);
  }

  /** Asks one question at a time, so that only the invalid ones fail. */
  private async askEach(batch: readonly Waiting<Question, Answer>[]): Promise<void> {
    for (const { question, resolve, reject } of batch) {
      try {
        const [answer] = await this.ask([question]);
        resolve(answer as Answer);
      } catch (error) {
        reject(error);
      }
    }
  }
}
