import { Injectable, type OnModuleInit } from '@nestjs/common';
import { IdentityService } from '../auth/people/identity.service.ts';
import { refusal, scopeRefusal } from '../auth/principals/access.guard.ts';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { isUuid } from '../infra/requests/ids.ts';
import { best } from './rank.ts';
import type { SearchResultsDto, SearchQueryDto } from './search.dto.ts';
import { MOST_FOUND, SearchRegistry, type Found } from './search.registry.ts';
import { SEARCH_KINDS, type SearchHitDto, type SearchKind } from './search.schema.ts';

/** Finds what a caller may see by its name or its id. */
@Injectable()
export class SearchService implements OnModuleInit {
  constructor(
    private readonly registry: SearchRegistry,
    private readonly identity: IdentityService,
  ) {}

  onModuleInit(): void {
    const access = { rule: 'member', scopes: ['manage', 'administer'] } as const;
    this.registry.register({
      kind: 'member',
      access,
      find: async ({ spaceId }, text) => {
        const members = await this.identity.searchMembers(spaceId, text, MOST_FOUND);
        return members.map(({ id, name, email }) => ({ id, title: name, text: email, parentId: null }));
      },
    });
  }

  /** The sources are asked one after the other, so that a search takes one connection. */
  async search(caller: UserPrincipal, { q, limit }: SearchQueryDto): Promise<SearchResultsDto> {
    const text = q.trim();
    const found = new Map<SearchKind, Found[]>();
    for (const { kind, access, find, findById } of this.registry.sources) {
      if ((refusal(access.rule, caller) ?? scopeRefusal(access, caller)) !== null) continue;
      const byId = isUuid(text) ? await findById?.(caller, text.toLowerCase()) : null;
      const hits = byId ? [byId] : ((await find?.(caller, text)) ?? []);
      found.set(kind, [...(found.get(kind) ?? []), ...hits]);
    }
    const items = SEARCH_KINDS.flatMap((kind): SearchHitDto[] =>
      best(found.get(kind) ?? [], text, limit).map((hit) => ({ kind, ...hit })),
    );
    return { items };
  }
}
