import { Injectable } from '@nestjs/common';
import type { TaskResultList } from '@platform/contracts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { isUuid } from '../../infra/requests/ids.ts';
import { parseIds } from '../../infra/requests/page.dto.ts';
import { listResults } from './results.store.ts';

/** How the latest runs of tasks ended. */
@Injectable()
export class ResultsService {
  constructor(private readonly database: Database) {}

  /** Tasks that the caller may not see are as if they did not exist. */
  async list({ spaceId, userId, role }: UserPrincipal, ids: string): Promise<TaskResultList> {
    const taskIds = parseIds(ids, 'taskIds').filter(isUuid);
    const ownerUserId = role === 'ADMIN' ? null : userId;
    const found = await this.database.transaction((tx) => listResults(tx, { spaceId, taskIds, ownerUserId }));
    const items = new Map<string, TaskResultList['items'][number]>();
    for (const { taskId, createdAt, ...run } of found) {
      const item = items.get(taskId) ?? { taskId, results: [] };
      item.results.push({ ...run, createdAt: createdAt.toISOString() });
      items.set(taskId, item);
    }
    return { items: [...items.values()] };
  }
}
