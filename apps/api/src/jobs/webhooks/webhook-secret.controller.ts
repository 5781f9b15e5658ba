import { Controller, Get, Post } from '@nestjs/common';
import { Caller, Audited, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import { WebhookSecretDto, WebhookSecretStatusDto } from './webhook-secret.dto.ts';
import { WebhookSecretsService } from './webhook-secrets.service.ts';

@Access('admin', 'administer')
@Controller('webhook-secret')
export class WebhookSecretController {
  constructor(private readonly secrets: WebhookSecretsService) {}

  /** Returns whether the space has a webhook secret, but not the secret. */
  @Get()
  state(@Caller() caller: UserPrincipal): Promise<WebhookSecretStatusDto> {
    return this.secrets.getStatus(caller.spaceId);
  }

  /** Creates a new secret and shows it once. The previous secret is used in addition for one day. */
  @Post()
  rotate(@Audited() call: AuditedCall): Promise<WebhookSecretDto> {
    return this.secrets.rotate(call);
  }
}
