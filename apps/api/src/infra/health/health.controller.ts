import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { DataSource } from 'typeorm';
import { Public } from '../http/access.ts';
import { Messaging } from '../messaging/messaging.ts';
import { HealthDto } from './health.dto.ts';
import { Readiness } from './readiness.ts';

@Public()
@Controller('health')
export class HealthController {
  constructor(
    private readonly database: DataSource,
    private readonly readiness: Readiness,
    private readonly messaging: Messaging,
  ) {}

  /** The process answers. */
  @Get('live')
  live(): HealthDto {
    return { status: 'ok', checks: {} };
  }

  /** The service can do its work: 200, or 503 with the part that is missing. It serves without messaging, too. */
  @Get('ready')
  async ready(@Res({ passthrough: true }) res: Response): Promise<HealthDto> {
    const database = await this.database.query('select 1').then(
      () => true,
      () => false,
    );
    const up = database && this.readiness.ready;
    if (!up) res.status(503);
    return {
      status: up ? 'ok' : 'unavailable',
      checks: {
        database: database ? 'up' : 'down',
        messaging: this.messaging.state() === 'down' ? 'down' : 'up',
        service: this.readiness.ready ? 'up' : 'down',
      },
    };
  }
}
