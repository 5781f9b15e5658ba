import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { applicationOf } from '../auth/principal.ts';
import { Access } from '../infra/http/access.ts';
import { BodyLimit } from '../infra/http/body-limit.ts';
import { RateLimit } from '../infra/http/rate-limit.ts';
import { Emission } from './emission.ts';
import { EmitDto, EmitResponseDto } from './emit.dto.ts';

@Controller('events')
export class EmitController {
  constructor(private readonly emission: Emission) {}

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
