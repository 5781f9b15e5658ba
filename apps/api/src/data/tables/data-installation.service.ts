import { Injectable } from '@nestjs/common';
import type { ManifestTable } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { putTables, retireTables, type TableOwner } from './data-tables.store.ts';

/** The tables of applications, in the transaction that installs, upgrades, or uninstalls one. */
@Injectable()
export class DataInstallationService {
  /** Brings the tables to what the manifest declares. A table that it no longer declares is retired and keeps its rows. */
  async install(tx: EntityManager, owner: TableOwner, tables: readonly ManifestTable[]): Promise<void> {
    await putTables(tx, owner, tables);
    await retireTables(
      tx,
      owner,
      tables.map(({ name }) => name),
    );
  }

  async uninstall(tx: EntityManager, owner: TableOwner): Promise<void> {
    await retireTables(tx, owner, []);
  }
}
