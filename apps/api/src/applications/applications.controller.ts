import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import { Audited, Caller, type AuditedCall } from '../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { Access } from '../infra/routes/access.ts';
import { PageDto } from '../infra/requests/page.dto.ts';
import {
  ApplicationDetailDto,
  ApplicationManifestDto,
  ApplicationPageDto,
  InstalledApplicationDto,
  RotatedSystemKeyDto,
  UpgradeQueryDto,
  UpgradeResultDto,
} from './applications.dto.ts';
import { ApplicationsService } from './applications.service.ts';

@Access('admin', 'administer')
@Controller('applications')
export class ApplicationsController {
  constructor(private readonly applications: ApplicationsService) {}

  /** Lists the applications of the space without their manifests, uninstalled ones included, newest first. */
  @Get()
  list(@Caller() { spaceId }: UserPrincipal, @Query() query: PageDto): Promise<ApplicationPageDto> {
    return this.applications.list(spaceId, query);
  }

  /**
   * Installs an application from its manifest. Only this response contains its system key. If the application was installed
   * before, its subscriptions return with the filters and switches that they had. Returns 409 if it is installed.
   */
  @Post()
  @ApiBody({ type: ApplicationManifestDto })
  install(@Audited() call: AuditedCall, @Body() manifest: object): Promise<InstalledApplicationDto> {
    return this.applications.install(call, manifest);
  }

  /** Returns an application with its manifest. */
  @Get(':identifier')
  get(
    @Caller() { spaceId }: UserPrincipal,
    @Param('identifier') identifier: string,
  ): Promise<ApplicationDetailDto> {
    return this.applications.get(spaceId, identifier);
  }

  /**
   * Upgrades an application. Repeating an upgrade changes nothing; a different manifest of the same version returns 409. The
   * response names the changes, and the subscriptions that no longer fit. With `dryRun=true` nothing is changed.
   */
  @Put(':identifier')
  @ApiBody({ type: ApplicationManifestDto })
  upgrade(
    @Audited() call: AuditedCall,
    @Param('identifier') identifier: string,
    @Query() { dryRun }: UpgradeQueryDto,
    @Body() manifest: object,
  ): Promise<UpgradeResultDto> {
    return this.applications.upgrade(call, identifier, manifest, dryRun === 'true');
  }

  /**
   * Uninstalls an application: its events, tasks, and default subscriptions stop working, and its key can no longer emit.
   * Nothing is deleted, and installing it again restores them. Subscriptions of users stay.
   */
  @Delete(':identifier')
  @HttpCode(204)
  uninstall(@Audited() call: AuditedCall, @Param('identifier') identifier: string): Promise<void> {
    return this.applications.uninstall(call, identifier);
  }

  /** Replaces all system keys with immediate effect; `POST …/system-keys` lets two overlap. Only this response contains the new key. */
  @Post(':identifier/system-key')
  rotateKey(
    @Audited() call: AuditedCall,
    @Param('identifier') identifier: string,
  ): Promise<RotatedSystemKeyDto> {
    return this.applications.rotateKey(call, identifier);
  }
}
