import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { SweeperWorker } from '../database/sweeper.worker.ts';
import { Public } from '../routes/access.ts';
import { Messaging } from '../messaging/messaging.ts';
import { withTimeout } from '../messaging/with-timeout.ts';
import { HealthDto } from './health.dto.ts';
import { ReadinessRegistry } from './readiness.registry.ts';

/** A check that takes longer counts as failed. */
const ANSWER_MS = 1_500;

@Public()
@Controller('health')
export class HealthController {
  private asking: Promise<string[]> | null = null;

  constructor(
    private readonly readiness: ReadinessRegistry,
    private readonly messaging: Messaging,
    private readonly sweeper: SweeperWorker,
  ) {}

  /** The process responds to requests. */
  @Get('live')
  live(): HealthDto {
    return { status: 'ok', checks: {}, warnings: [] };
  }

  /**
   * Returns 200 if the service can work, otherwise 503 with the part that is unavailable. It also works without messaging.
   * Warnings name sweeps of expired data that are overdue.
   */
  @Get('ready')
  async ready(@Res({ passthrough: true }) res: Response): Promise<HealthDto> {
    const warnings = await this.findWarnings();
    const up = warnings !== null && this.readiness.ready;
    if (!up) res.status(503);
    return {
      status: up ? 'ok' : 'unavailable',
      checks: {
        database: warnings === null ? 'down' : 'up',
        messaging: this.messaging.getState() === 'down' ? 'down' : 'up',
        service: this.readiness.ready ? 'up' : 'down',
      },
      warnings: warnings ?? [],
    };
  }

  /**
   * Returns null if the database does not answer. Concurrent requests share one check. Otherwise a frozen database would
   * occupy every connection.
   */
  private findWarnings(): Promise<string[] | null> {
    this.asking ??= this.sweeper.listOverdue().finally(() => (this.asking = null));
    return withTimeout(ANSWER_MS, this.asking).catch(() => null);
  }
}
