import { isDataError } from './data-errors.ts';

interface Waiting<Question, Answer> {
  question: Question;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/** When a batch is large enough, so that the next one need not wait for more questions. */
export interface Gathering {
  isEnough: (questions: number) => boolean;
  /** A smaller batch is asked so long after the one before. */
  maxMs: number;
}

const MAX_BATCH = 100;

/**
 * Combines single questions into batches: those of one moment are asked together, and those that come while `ask` runs go
 * into its next run. No question waits for others, unless `gathering` says how long; an answer is never older than its
 * question, and a busy service runs fewer statements.
 */
export class Batched<Question, Answer> {
  private waiting: Waiting<Question, Answer>[] = [];
  private running = false;
  private askedAt = -Infinity;
  private look: (() => void) | null = null;

  /** `ask` returns one answer per question, in the same order. */
  constructor(
    private readonly ask: (questions: Question[]) => Promise<Answer[]>,
    private readonly gathering: Gathering | null = null,
  ) {}

  get(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ question, resolve, reject });
      this.look?.();
      if (this.running) return;
      this.running = true;
      // The answers of one batch lead to the next questions of all who asked, one after another.
      queueMicrotask(() => void this.run());
    });
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      const leftMs = this.gathering === null ? 0 : this.askedAt + this.gathering.maxMs - performance.now();
      if (leftMs > 0) await this.gather(leftMs);
      this.askedAt = performance.now();
      const batch = this.waiting.splice(0, MAX_BATCH);
      try {
        const answers = await this.ask(batch.map(({ question }) => question));
        batch.forEach(({ resolve }, i) => resolve(answers[i] as Answer));
      } catch (error) {
        // Any other failure concerns all questions. Repeating each would multiply the load on a database in trouble.
        if (batch.length > 1 && isDataError(error)) await this.askEach(batch);
        else for (const { reject } of batch) reject(error);
      }
    }
    this.running = false;
  }

  /** Resolves when enough questions wait, or when the time is over. */
  private async gather(maxMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(resolve, maxMs);
    this.look = () => {
      const { length } = this.waiting;
      if (length >= MAX_BATCH || this.gathering?.isEnough(length)) resolve(undefined);
    };
    this.look();
    await promise;
    this.look = null;
    clearTimeout(timer);
  }

  /** Asks one question at a time, so that only the invalid ones fail. */
  private async askEach(batch: Waiting<Question, Answer>[]): Promise<void> {
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
