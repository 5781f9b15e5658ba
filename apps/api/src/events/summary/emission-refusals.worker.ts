import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { RateLimits } from '../../auth/limits/rate-limits.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { SweeperWorker } from '../../infra/database/sweeper.worker.ts';
import { PollLoop } from '../../infra/runtime/poll-loop.ts';
import { addRefusals, purgeRefusals } from './emission-refusals.store.ts';

const EVERY_MS = 5_000;

/** Stores how many events the limits of this process have refused, so that people see it. */
@Injectable()
export class EmissionRefusalsWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(EmissionRefusalsWorker.name);
  private readonly loop = new PollLoop(() => this.store());

  constructor(
    private readonly limits: RateLimits,
    private readonly database: BackgroundDatabase,
    private readonly sweeper: SweeperWorker,
  ) {}

  onApplicationBootstrap(): void {
    this.sweeper.register('refused emissions', (limit) => purgeRefusals(this.database, limit));
    this.loop.start(EVERY_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
    await this.store();
  }

  /** A count that cannot be stored is dropped: it is a hint for people, not an account. */
  async store(): Promise<number> {
    const refused = this.limits.takeRefused();
    if (refused.size === 0) return EVERY_MS;
    try {
      await addRefusals(this.database, refused);
    } catch (error) {
      this.logger.warn({ err: error }, 'Refused emissions could not be counted');
    }
    return EVERY_MS;
  }
}
