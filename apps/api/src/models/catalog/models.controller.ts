import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { Caller, Audited, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import { PageDto } from '../../infra/requests/page.dto.ts';
import { AvailableModelsService } from './available-models.service.ts';
import {
  AvailableModelsDto,
  CreateModelDto,
  ListAvailableModelsDto,
  ModelPageDto,
  ModelTestResultDto,
  SavedModelDto,
  SaveModelQueryDto,
  UpdateModelDto,
} from './models.dto.ts';
import { ModelsService } from './models.service.ts';

@Controller('models')
export class ModelsController {
  constructor(
    private readonly models: ModelsService,
    private readonly available: AvailableModelsService,
  ) {}

  /** Lists the catalog of the space. `platform/offline` is always the last model. */
  @Get()
  @Access('member', 'invoke', 'manage', 'administer')
  list(@Caller() caller: UserPrincipal, @Query() query: PageDto): Promise<ModelPageDto> {
    return this.models.list(caller.spaceId, query);
  }

  /** Adds a model. Agents refer to it by name. */
  @Post()
  @Access('admin', 'administer')
  async create(
    @Audited() call: AuditedCall,
    @Query() query: SaveModelQueryDto,
    @Body() body: CreateModelDto,
  ): Promise<SavedModelDto> {
    return this.models.withTest(call, await this.models.create(call, body), query.test === 'true');
  }

  /**
   * Asks a server which models it has: one that no model has yet (`baseUrl`), or that of a model (`modelId`). Nothing is
   * stored, and a failure is a result.
   */
  @Post('available')
  @Access('admin', 'administer')
  @HttpCode(200)
  listAvailable(
    @Audited() call: AuditedCall,
    @Body() body: ListAvailableModelsDto,
  ): Promise<AvailableModelsDto> {
    return this.available.list(call, body);
  }

  /** Changes the given fields. A new baseUrl requires the apiKey again. */
  @Patch(':id')
  @Access('admin', 'administer')
  async update(
    @Audited() call: AuditedCall,
    @Param('id') id: string,
    @Query() query: SaveModelQueryDto,
    @Body() body: UpdateModelDto,
  ): Promise<SavedModelDto> {
    return this.models.withTest(call, await this.models.update(call, id, body), query.test === 'true');
  }

  /** Deletes the model from the catalog. */
  @Delete(':id')
  @Access('admin', 'administer')
  @HttpCode(204)
  delete(@Audited() call: AuditedCall, @Param('id') id: string): Promise<void> {
    return this.models.delete(call, id);
  }

  /** Asks the model one short question and returns whether it answered. */
  @Post(':id/test')
  @Access('admin', 'administer')
  @HttpCode(200)
  test(@Caller() caller: UserPrincipal, @Param('id') id: string): Promise<ModelTestResultDto> {
    return this.models.test(caller.spaceId, id);
  }
}
