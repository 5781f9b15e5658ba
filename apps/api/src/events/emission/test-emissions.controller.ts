import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Audited, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { Access } from '../../infra/routes/access.ts';
import { BodyLimit } from '../../infra/routes/body-limit.ts';
import { EmitResponseDto } from './emit.dto.ts';
import { TestEmissionDto } from './test-emission.dto.ts';
import { TestEmissionsService } from './test-emissions.service.ts';

@ApiTags('Catalog')
@Controller('events/catalog')
export class TestEmissionsController {
  constructor(private readonly emissions: TestEmissionsService) {}

  /** Emits one event with the source `system`. It starts the tasks that are subscribed, as any other event does. */
  @Post(':application/:event/test')
  @Access('admin', 'manage')
  @BodyLimit('event')
  @HttpCode(200)
  emitTest(
    @Audited() call: AuditedCall,
    @Param('application') application: string,
    @Param('event') event: string,
    @Body() emission: TestEmissionDto,
  ): Promise<EmitResponseDto> {
    return this.emissions.emit(call, application, event, emission);
  }
}
