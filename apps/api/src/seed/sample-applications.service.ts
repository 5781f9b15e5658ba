import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { ApplicationManifest } from '@platform/contracts';
import { ApplicationsService } from '../applications/applications.service.ts';
import type { AuditedCall } from '../auth/principals/caller.decorator.ts';
import { DataService } from '../data/rows/data.service.ts';

/** Each with the rows that a newcomer sees as events at once. */
const SAMPLES = [
  {
    identifier: 'order-desk',
    table: 'orders',
    rows: [
      { number: '1001', customer: 'Ada Hopper', total: 49.9 },
      { number: '1002', customer: 'Grace Lovelace', total: 1280, priority: 'urgent' },
    ],
  },
  {
    identifier: 'help-desk',
    table: 'tickets',
    rows: [
      { subject: 'I cannot sign in', requester: 'ada@example.com', severity: 'critical' },
      { subject: 'A question about my invoice', requester: 'grace@example.com' },
    ],
  },
];

/** The sample applications of a demo space. */
@Injectable()
export class SampleApplicationsService {
  constructor(
    private readonly applications: ApplicationsService,
    private readonly data: DataService,
  ) {}

  /** Installs what is missing, and returns the system key of each sample. Can be repeated after a crash. */
  async install(call: AuditedCall): Promise<Record<string, string>> {
    const { items } = await this.applications.list(call.by.spaceId, { limit: 200 });
    const installed = new Set(items.filter((one) => one.installed).map(({ identifier }) => identifier));
    const keys: Record<string, string> = {};
    for (const { identifier, table, rows } of SAMPLES) {
      // A start that crashed here has installed the sample, and lost its key.
      const { systemKey } = installed.has(identifier)
        ? await this.applications.rotateKey(call, identifier)
        : await this.applications.install(call, await readManifest(identifier));
      keys[identifier] = systemKey;
      const path = { identifier, table };
      const present = await this.data.list(call.by, path, { limit: 1 });
      if (present.items.length === 0) await this.data.createMany(call.by, path, rows);
    }
    return keys;
  }
}

async function readManifest(identifier: string): Promise<ApplicationManifest> {
  const file = join(import.meta.dirname, 'manifests', `${identifier}.json`);
  return JSON.parse(await readFile(file, 'utf8')) as ApplicationManifest;
}
