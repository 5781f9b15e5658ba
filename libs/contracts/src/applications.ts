import type { EventFilter } from './events.ts';
import type { JsonSchema } from './json-schema.ts';
import type { PageQuery } from './page.ts';
import type { TaskRetry, TaskSchedule, TaskType, Workflow } from './tasks.ts';

export const COLUMN_TYPES = ['string', 'integer', 'number', 'boolean', 'datetime', 'json'] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

export interface ManifestEvent {
  /** Lowercase parts joined by dots, such as order.created. */
  name: string;
  description: string;
  payloadSchema: JsonSchema;
  /** How often the event may occur again among the events that it causes; default 1: its first recurrence is skipped. */
  recursionLimit?: number | null;
}

export interface ManifestColumn {
  name: string;
  type: ColumnType;
  required?: boolean | null;
}

export interface ManifestTable {
  name: string;
  columns: ManifestColumn[];
  /** The event that an insert emits. Its payload is the row. */
  emits?: { onInsert: string } | null;
}

export interface ManifestTask {
  /** Identifies the task across versions. */
  key: string;
  name: string;
  /** Default: SCHEDULE if it has a schedule, otherwise EVENT. */
  type?: TaskType | null;
  schedule?: TaskSchedule | null;
  workflow: Workflow;
  concurrency?: number | null;
  timeoutMs?: number | null;
  retry?: Partial<TaskRetry> | null;
}

/** Connects a task of the manifest with an event of the manifest. */
export interface ManifestSubscription {
  /** Identifies the subscription across versions. */
  key: string;
  event: string;
  taskKey: string;
  filter?: EventFilter | null;
  enabled?: boolean | null;
}

export interface ApplicationManifest {
  identifier: string;
  name: string;
  version: string;
  events?: ManifestEvent[];
  tables?: ManifestTable[];
  tasks?: ManifestTask[];
  subscriptions?: ManifestSubscription[];
  /** Applications install no tools. */
  tools?: [];
}

export interface Application {
  identifier: string;
  name: string;
  version: string;
  installed: boolean;
  eventCount: number;
  tableCount: number;
  taskCount: number;
  /** The visible beginning of the system key. */
  systemKeyPrefix: string | null;
  systemKeyLastUsedAt: string | null;
  installedAt: string;
  updatedAt: string;
  uninstalledAt: string | null;
}

export interface ApplicationDetail extends Application {
  manifest: ApplicationManifest;
}

/** The system key is returned only here. */
export interface InstalledApplication {
  application: ApplicationDetail;
  systemKey: string;
}

/** One change that an upgrade makes, or would make. */
export interface ManifestChange {
  kind: 'event' | 'table' | 'task' | 'subscription';
  /** Its name or key. */
  name: string;
  change: 'added' | 'changed' | 'removed';
}

/** A subscription that the new version would break. */
export interface BrokenSubscription {
  subscriptionId: string;
  event: string;
  taskId: string;
  /** Such as: the filter names "amount", which the new schema does not have. */
  reason: string;
}

export interface UpgradeResult {
  application: ApplicationDetail;
  changes: ManifestChange[];
  brokenSubscriptions: BrokenSubscription[];
  /** Whether nothing was changed. */
  dryRun: boolean;
}

/** A new system key. The previous one stops working at once. */
export interface RotatedSystemKey {
  systemKey: string;
  systemKeyPrefix: string;
}

/** A row of a table of an application. */
export interface DataRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  [column: string]: unknown;
}

export type DataRowQuery = PageQuery;

export interface CreateDataRowsRequest {
  /** The column values of 1 to 10,000 rows. */
  rows: Record<string, unknown>[];
}

export interface CreatedDataRows {
  /** In the order of the request. */
  items: DataRow[];
}
