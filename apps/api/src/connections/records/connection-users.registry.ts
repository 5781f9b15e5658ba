import { Injectable } from '@nestjs/common';
import type { NamedTool } from '@platform/contracts';
import type { Sql } from '../../infra/database/rows.ts';

/** What refers to connections: to one of the space, or to each person's own with a provider. */
export interface ConnectionUsers {
  /** At most `limit`. */
  list(
    sql: Sql,
    spaceId: string,
    refers: { connectionId?: string; providerId?: string },
    limit: number,
  ): Promise<NamedTool[]>;
}

/** Which tools would stop without a connection. Tools are a later module, so it registers itself here. */
@Injectable()
export class ConnectionUsersRegistry {
  private users: ConnectionUsers | null = null;

  /** To be called in `onModuleInit`. */
  register(users: ConnectionUsers): void {
    this.users = users;
  }

  async list(...asked: Parameters<ConnectionUsers['list']>): Promise<NamedTool[]> {
    return (await this.users?.list(...asked)) ?? [];
  }
}
