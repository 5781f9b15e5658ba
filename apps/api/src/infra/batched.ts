import { isDataError } from './database/data-errors.ts';

interface Waiting<Question, Answer> {
  question: Question;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

const MAX_BATCH = 100;

/**
 * Combines single questions into batches: those of one moment are asked together, and those that come while `ask` runs go
 * into its next run. No question waits for others, an answer is never older than its question, and a busy service runs
 * fewer statements.
 */
export class Batched<Question, Answer> {
  private waiting: Waiting<Question, Answer>[] = [];
  private running = false;

  /** `ask` returns one answer per question, in the same order. */
  constructor(private readonly ask: (questions: Question[]) => Promise<Answer[]>) {}

  get(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ question, resolve, reject });
      if (this.running) return;
      this.running = true;
      // The answers of one batch lead to the next questions of all who asked, one after another.
      queueMicrotask(() => void this.run());
    });
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
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
