import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';
import type { Request } from 'express';
import { applicationOf } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import { BodyLimit } from '../../infra/routes/body-limit.ts';
import { RateLimit } from '../../infra/routes/rate-limit.ts';
import { BatchEmissionsService } from './batch-emissions.service.ts';
import { EmissionService } from './emission.service.ts';
import {
  EmissionErrorDto,
  EmitBatchDto,
  EmitBatchResponseDto,
  EmitDto,
  EmitResponseDto,
} from './emit.dto.ts';

@Controller('events')
export class EmitController {
  constructor(
    private readonly emission: EmissionService,
    private readonly batches: BatchEmissionsService,
  ) {}

  /** Emits an event of the calling application. A 200 means that it is recorded; tasks run after that. */
  @Access('application')
  @BodyLimit('event')
  @RateLimit('emit')
  @HttpCode(200)
  @Post('emit')
  emit(@Req() req: Request, @Body() body: EmitDto): Promise<EmitResponseDto> {
    return this.emission.emit(applicationOf(req), body);
  }

  /**
   * Emits 1 to 500 events of the calling application, each as if alone: an event that is refused does not affect the others. The
   * items of the response are in the order of the events: what `emit` returns for each, or its error. At most 4 MB.
   */
  @Access('application')
  @BodyLimit('events')
  @RateLimit('emit')
  @HttpCode(200)
  @ApiExtraModels(EmitResponseDto, EmissionErrorDto)
  @Post('emit-batch')
  emitBatch(@Req() req: Request, @Body() { events }: EmitBatchDto): Promise<EmitBatchResponseDto> {
    return this.batches.emit(applicationOf(req), events, req.inexactNumbers ?? []);
  }
}
