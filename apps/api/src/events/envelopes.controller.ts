import { Controller, Get, Param, Query } from '@nestjs/common';
import { Caller } from '../auth/caller.decorator.ts';
import type { UserPrincipal } from '../auth/principal.ts';
import { Access } from '../infra/http/access.ts';
import { EnvelopeDetailDto, EnvelopePageDto, EnvelopeQueryDto } from './envelopes.dto.ts';
import { EnvelopesService } from './envelopes.service.ts';

@Access('admin')
@Controller('events/envelopes')
export class EnvelopesController {
  constructor(private readonly envelopes: EnvelopesService) {}

  /** Lists the envelopes of the space, newest first. */
  @Get()
  list(@Caller() caller: UserPrincipal, @Query() query: EnvelopeQueryDto): Promise<EnvelopePageDto> {
    return this.envelopes.list(caller.spaceId, query);
  }

  /** Returns an envelope with its generations, the verdict of each subscription, its runs, and what caused it. */
  @Get(':id')
  get(@Caller() caller: UserPrincipal, @Param('id') id: string): Promise<EnvelopeDetailDto> {
    return this.envelopes.get(caller.spaceId, id);
  }
}
