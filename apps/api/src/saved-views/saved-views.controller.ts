import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { Audited, Caller, type AuditedCall } from '../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { Access } from '../infra/routes/access.ts';
import {
  CreateSavedViewDto,
  ListSavedViewsQueryDto,
  SavedViewDto,
  SavedViewPageDto,
  UpdateSavedViewDto,
} from './saved-views.dto.ts';
import { SavedViewsService } from './saved-views.service.ts';

@Access('member', 'manage')
@Controller('saved-views')
export class SavedViewsController {
  constructor(private readonly views: SavedViewsService) {}

  /** Lists the caller's own views, and those that are shared with the space, of the pages that the caller may open, newest first. */
  @Get()
  list(@Caller() caller: UserPrincipal, @Query() query: ListSavedViewsQueryDto): Promise<SavedViewPageDto> {
    return this.views.list(caller, query);
  }

  /** Saves the filters of a list by name, at most 50 of each page. The same view again returns the one that is there. */
  @Post()
  create(@Audited() call: AuditedCall, @Body() body: CreateSavedViewDto): Promise<SavedViewDto> {
    return this.views.create(call, body);
  }

  /** Changes the name or the filters of a view, or whether it is shared. Only admins change shared ones. */
  @Patch(':id')
  update(
    @Audited() call: AuditedCall,
    @Param('id') id: string,
    @Body() body: UpdateSavedViewDto,
  ): Promise<SavedViewDto> {
    return this.views.update(call, id, body);
  }

  /** Deletes a view. Only admins delete shared ones. */
  @Delete(':id')
  @HttpCode(204)
  delete(@Audited() call: AuditedCall, @Param('id') id: string): Promise<void> {
    return this.views.delete(call, id);
  }
}
