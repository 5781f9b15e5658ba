interface Waiting<Question, Answer> {
  question: Question;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

const MOST = 100;

/** Whether the database refused the values themselves: SQLSTATE class 22. */
function isDataError(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^22...$/.test(code);
}

/**
 * Answers single questions many at a time: what is asked while `ask` runs goes into its next run. So an answer is
 * never older than its question, and a busy service asks less often.
 */
export class Batched<Question, Answer> {
  private waiting: Waiting<Question, Answer>[] = [];
  private running = false;

  /** `ask` answers all questions in their order. */
  constructor(private readonly ask: (questions: Question[]) => Promise<Answer[]>) {}

  get(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ question, resolve, reject });
      if (!this.running) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, MOST);
      try {
        const answers = await this.ask(batch.map(({ question }) => question));
        batch.forEach(({ resolve }, i) => resolve(answers[i] as Answer));
      } catch (error) {
        // Other failures are everybody's: asking again for each would multiply the load of a database in trouble.
        if (batch.length > 1 && isDataError(error)) await this.askEach(batch);
        else for (const { reject } of batch) reject(error);
      }
    }
    this.running = false;
  }

  /** Asks one at a time, so that only the questions that are wrong fail. */
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
