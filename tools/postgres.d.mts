/** What the tests in TypeScript use of it. */
export interface ThrowawayPostgres {
  url: string;
  urlOf(database: string): string;
  /** Of its first process, whose children serve the connections. */
  pid(): number;
  /** Ends it as a crash does and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export function throwawayPostgres(options?: { durable?: boolean }): Promise<ThrowawayPostgres>;
