import { Controller, Get, Query } from '@nestjs/common';
import { Caller } from '../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { Access } from '../infra/routes/access.ts';
import { SearchQueryDto, SearchResultsDto } from './search.dto.ts';
import { SearchService } from './search.service.ts';

@Access('member', 'invoke', 'use', 'manage', 'administer')
@Controller('search')
export class SearchController {
  constructor(private readonly service: SearchService) {}

  /**
   * Finds what the caller may see by the first letters of words, or by its id: agents, tasks, tools and their methods, events,
   * applications, documents, members, and the caller's own sessions; by id also runs, envelopes, turns, jobs, and
   * subscriptions. An API key finds what its scopes let it read.
   */
  @Get()
  search(@Caller() caller: UserPrincipal, @Query() query: SearchQueryDto): Promise<SearchResultsDto> {
    return this.service.search(caller, query);
  }
}
