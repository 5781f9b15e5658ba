import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { BackgroundDatabase } from '../database/database.ts';
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
  private asking: Promise<unknown> | null = null;

  constructor(
    private readonly database: BackgroundDatabase,
    private readonly readiness: ReadinessRegistry,
    private readonly messaging: Messaging,
  ) {}

  /** The process responds to requests. */
  @Get('live')
  live(): HealthDto {
    return { status: 'ok', checks: {} };
  }

  /** Returns 200 if the service can work, otherwise 503 with the part that is unavailable. It also works without messaging. */
  @Get('ready')
  async ready(@Res({ passthrough: true }) res: Response): Promise<HealthDto> {
    const database = await this.answers();
    const up = database && this.readiness.ready;
    if (!up) res.status(503);
    return {
      status: up ? 'ok' : 'unavailable',
      checks: {
        database: database ? 'up' : 'down',
        messaging: this.messaging.getState() === 'down' ? 'down' : 'up',
        service: this.readiness.ready ? 'up' : 'down',
      },
    };
  }

  /** Concurrent requests share one check. Otherwise a frozen database would occupy every connection. */
  private answers(): Promise<boolean> {
    this.asking ??= this.database.query('select 1').finally(() => (this.asking = null));
    return withTimeout(ANSWER_MS, this.asking).then(
      () => true,
      () => false,
    );
  }
}
