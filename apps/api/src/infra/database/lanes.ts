import { Injectable } from '@nestjs/common';
import { PlatformConfig } from '../config/platform-config.ts';
import type { Transactions } from './rows.ts';

interface Lane {
  running: number;
  waiting: (() => void)[];
}

/**
 * Keeps those who may have to wait for the same lock from taking every connection meanwhile: of one key, half of the
 * pool at most works at a time. The others wait in line, twice as long as for a connection, and fail as if there was none.
 */
@Injectable()
export class Lanes {
  private readonly lanes = new Map<string, Lane>();
  private readonly width: number;
  private readonly waitMs: number;

  constructor({ database }: PlatformConfig) {
    this.width = Math.floor(database.apiPool / 2);
    this.waitMs = 2 * database.connectMs;
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const lane = this.lanes.get(key) ?? { running: 0, waiting: [] };
    this.lanes.set(key, lane);
    if (lane.running < this.width) lane.running++;
    else await this.turn(lane);
    try {
      return await work();
    } finally {
      const next = lane.waiting.shift();
      if (next) next();
      else if (--lane.running === 0) this.lanes.delete(key);
    }
  }

  /** The database whose transactions go by the lane of that key. */
  of(key: string, database: Transactions): Transactions {
    return {
      query: database.query.bind(database),
      transaction: (work) => this.run(key, () => database.transaction(work)),
    };
  }

  /** Whoever ends hands the place on. */
  private turn({ waiting }: Lane): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(enter), 1);
        const message = `Others wanted the same of the database for ${this.waitMs} ms`;
        reject(Object.assign(new Error(message), { code: 'ETIMEDOUT' }));
      }, this.waitMs);
      waiting.push(enter);
    });
  }
}
