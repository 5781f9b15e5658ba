import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { Audited, Caller, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import {
  EnvelopeDetailDto,
  EnvelopePageDto,
  EnvelopeQueryDto,
  EnvelopeVolumeDto,
  VolumeQueryDto,
} from './envelopes.dto.ts';
import { EnvelopeListsService } from './envelope-lists.service.ts';
import { EnvelopeVolumeService } from './envelope-volume.service.ts';
import { PayloadErasuresService } from './payload-erasures.service.ts';
import { EnvelopesService } from './envelopes.service.ts';
import { ReplayRequestDto, ReplayResponseDto } from '../replay/replays.dto.ts';
import { ReplaysService } from '../replay/replays.service.ts';

@Access('admin', 'manage')
@Controller('events/envelopes')
export class EnvelopesController {
  constructor(
    private readonly lists: EnvelopeListsService,
    private readonly volume: EnvelopeVolumeService,
    private readonly envelopes: EnvelopesService,
    private readonly replays: ReplaysService,
    private readonly erasures: PayloadErasuresService,
  ) {}

  /** Lists the envelopes of the space, newest first. */
  @Get()
  list(@Caller() caller: UserPrincipal, @Query() query: EnvelopeQueryDto): Promise<EnvelopePageDto> {
    return this.lists.list(caller.spaceId, query);
  }

  /**
   * Counts the envelopes of a time by bucket and status. What was recorded in the last minutes is counted at once, and old
   * replays a little later.
   */
  @Get('volume')
  countVolume(@Caller() caller: UserPrincipal, @Query() query: VolumeQueryDto): Promise<EnvelopeVolumeDto> {
    return this.volume.count(caller.spaceId, query);
  }

  /** Returns an envelope with its generations, the verdict of each subscription, its runs, and what caused it. */
  @Get(':id')
  get(@Caller() caller: UserPrincipal, @Param('id') id: string): Promise<EnvelopeDetailDto> {
    return this.envelopes.get(caller.spaceId, id);
  }

  /**
   * Dispatches the envelope again. Every subscription that matches then starts its task again, so tasks have to be
   * idempotent; `only` and `subscriptionIds` limit it to some of them. While the envelope is PENDING, returns the generation that
   * is running, or 409 if that has another limit.
   */
  @Post(':id/replay')
  @HttpCode(202)
  replay(
    @Audited() call: AuditedCall,
    @Param('id') id: string,
    @Body() request: ReplayRequestDto,
  ): Promise<ReplayResponseDto> {
    return this.replays.replay(call, id, request);
  }

  /**
   * Erases the payload of the envelope for good, and what its runs were given, returned, and logged. Its hash, its size, the
   * verdicts, and all statuses stay. Neither the envelope nor its runs can be repeated afterwards. Fails while the envelope is
   * PENDING or a run of it has not ended. Does nothing the second time.
   */
  @Post(':id/erase-payload')
  @HttpCode(200)
  @Access('admin', 'administer')
  async erasePayload(@Audited() call: AuditedCall, @Param('id') id: string): Promise<EnvelopeDetailDto> {
    await this.erasures.erase(call, id);
    return this.envelopes.get(call.by.spaceId, id);
  }
}
