import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { applicationOf } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import { BodyLimit } from '../../infra/routes/body-limit.ts';
import { RateLimit } from '../../infra/routes/rate-limit.ts';
import { EmissionService } from './emission.service.ts';
import { EmitDto, EmitResponseDto } from './emit.dto.ts';

@Controller('events')
export class EmitController {
  constructor(private readonly emission: EmissionService) {}

  /** Emits an event of the calling application. A 200 means that it is recorded; tasks run after that. */
  @Access('application')
  @BodyLimit('event')
  @RateLimit('emit')
  @HttpCode(200)
  @Post('emit')
  emit(@Req() req: Request, @Body() body: EmitDto): Promise<EmitResponseDto> {
    return this.emission.emit(applicationOf(req), body);
  }
}
