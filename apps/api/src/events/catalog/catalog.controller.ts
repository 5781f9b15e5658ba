import { Controller, Get } from '@nestjs/common';
import { Caller } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import { CatalogApplicationDto } from './catalog.dto.ts';
import { CatalogService } from './catalog.service.ts';

@Controller('events/catalog')
export class CatalogController {
  constructor(private readonly catalog: CatalogService) {}

  /** Lists the registered events of the space, grouped by application, with their payload schemas. */
  @Get()
  @Access('member', 'use', 'manage')
  list(@Caller() caller: UserPrincipal): Promise<CatalogApplicationDto[]> {
    return this.catalog.list(caller.spaceId);
  }
}
