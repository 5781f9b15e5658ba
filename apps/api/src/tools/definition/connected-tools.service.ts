import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { NamedTool } from '@platform/contracts';
import {
  ConnectionUsersRegistry,
  type ConnectionUsers,
} from '../../connections/records/connection-users.registry.ts';
import type { Sql } from '../../infra/database/rows.ts';
import { listConnected } from './tools.store.ts';

/** Says which tools would stop without a connection. */
@Injectable()
export class ConnectedToolsService implements ConnectionUsers, OnModuleInit {
  constructor(private readonly users: ConnectionUsersRegistry) {}

  onModuleInit(): void {
    this.users.register(this);
  }

  list(
    sql: Sql,
    spaceId: string,
    refers: { connectionId?: string; providerId?: string },
    limit: number,
  ): Promise<NamedTool[]> {
    return listConnected(sql, spaceId, refers, limit);
  }
}
