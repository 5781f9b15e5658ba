/** The parts of postgres.mjs that tests in TypeScript use. */
export interface ThrowawayPostgres {
  url: string;
  urlOf(database: string): string;
  /** Pid of the main process, whose children serve the connections. */
  pid(): number;
  /** Kills the server as a crash would, and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export function throwawayPostgres(options?: { durable?: boolean }): Promise<ThrowawayPostgres>;
