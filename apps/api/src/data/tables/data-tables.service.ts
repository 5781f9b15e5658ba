import { Injectable } from '@nestjs/common';
import { ApplicationIdentitiesService } from '../../auth/applications/application-identities.service.ts';
import { Database } from '../../infra/database/database.ts';
import { notFound } from '../../infra/errors/app-error.ts';
import { isText } from '../../infra/requests/text.ts';
import { findTable, type DataTable, type TableOwner } from './data-tables.store.ts';

/** The path of a table: the identifier of its application, and its name. */
export interface TablePath {
  identifier: string;
  table: string;
}

/** A table of an application of a space. */
export type Table = TableOwner & DataTable & { tableName: string };

/** Finds the tables of installed applications. */
@Injectable()
export class DataTablesService {
  constructor(
    private readonly database: Database,
    private readonly identities: ApplicationIdentitiesService,
  ) {}

  async get(spaceId: string, { identifier, table: name }: TablePath): Promise<Table> {
    const application = await this.identities.find(this.database, spaceId, identifier);
    if (!application?.installed) throw notFound(`Application ${identifier} is not installed`);
    const owner = { spaceId, applicationId: application.id };
    const table = isText(name) ? await findTable(this.database, owner, name) : null;
    if (!table) throw notFound(`Application ${identifier} has no table ${name}`);
    return { ...owner, tableName: name, ...table };
  }
}
