import { Body, Controller, Get, Put } from '@nestjs/common';
import { Audited, Caller, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import { SpeechConfigurationsService } from './speech-configurations.service.ts';
import { SpeechToolConfigurationDto, UpdateSpeechToolDto } from './speech.dto.ts';

@Controller('tools/speech')
export class SpeechController {
  constructor(private readonly configurations: SpeechConfigurationsService) {}

  /** Returns the configuration of speech recognition: whether credentials are set and what is wrong, never their values. */
  @Get()
  @Access('member', 'use', 'manage')
  get(@Caller() { spaceId }: UserPrincipal): Promise<SpeechToolConfigurationDto> {
    return this.configurations.get(spaceId);
  }

  /** Replaces the configuration. Fields that are left out return to their defaults, except for the secrets. */
  @Put()
  @Access('admin', 'manage')
  put(@Audited() call: AuditedCall, @Body() body: UpdateSpeechToolDto): Promise<SpeechToolConfigurationDto> {
    return this.configurations.put(call, body);
  }
}
