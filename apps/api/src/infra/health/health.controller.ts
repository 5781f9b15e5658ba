import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { DataSource } from 'typeorm';
import { Public } from '../http/access.ts';
import { HealthDto } from './health.dto.ts';
import { Readiness } from './readiness.ts';

@Public()
@Controller('health')
export class HealthController {
  constructor(
    private readonly database: DataSource,
    private readonly readiness: Readiness,
  ) {}

  /** The process answers. */
  @Get('live')
  live(): HealthDto {
    return { status: 'ok', checks: {} };
  }

  /** The service can do its work: 200, or 503 with the part that is missing. */
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
      checks: { database: database ? 'up' : 'down', service: this.readiness.ready ? 'up' : 'down' },
    };
  }
}
