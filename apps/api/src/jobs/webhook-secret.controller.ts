import { Controller, Get, Post } from '@nestjs/common';
import { Caller, Audited, type AuditedCall } from '../auth/caller.decorator.ts';
import type { UserPrincipal } from '../auth/principal.ts';
import { Access } from '../infra/http/access.ts';
import { WebhookSecretDto, WebhookSecretStateDto } from './jobs.dto.ts';
import { WebhookSecrets } from './webhook-secrets.service.ts';

@Access('admin')
@Controller('webhook-secret')
export class WebhookSecretController {
  constructor(private readonly secrets: WebhookSecrets) {}

  /** Whether the space has a secret that its webhooks are signed with; never the secret itself. */
  @Get()
  state(@Caller() caller: UserPrincipal): Promise<WebhookSecretStateDto> {
    return this.secrets.getStatus(caller.spaceId);
  }

  /** Makes a new secret and shows it this once; the one before it signs beside it for a day. */
  @Post()
  rotate(@Audited() call: AuditedCall): Promise<WebhookSecretDto> {
    return this.secrets.rotate(call);
  }
}
