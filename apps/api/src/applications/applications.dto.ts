import {
  TASK_TYPES,
  type ColumnType,
  type EventFilter,
  type JsonSchema,
  type ManifestChange,
  type TaskRetry,
  type TaskSchedule,
  type TaskType,
  type Workflow,
} from '@platform/contracts';
import { ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { MANIFEST_EXAMPLE } from './manifest-example.ts';
import { SubscriptionBatchDto } from '../events/subscriptions/batch.schema.ts';
import { SubscriptionDebounceDto } from '../events/subscriptions/debounce.schema.ts';
import { pageOf } from '../infra/responses/page-of.ts';

class ManifestEventDto {
  /** Lowercase parts joined by dots, such as order.created. */
  name!: string;
  /** At most 1,000 characters. */
  description!: string;
  /** JSON Schema (draft 2020-12), at most 64 KB and 16 levels deep, without references to other documents. */
  @ApiProperty({ oneOf: [{ type: 'object', additionalProperties: true }, { type: 'boolean' }] })
  payloadSchema!: JsonSchema;
  /** How often the event may occur again among the events that it causes: 1 to 8, default 1: its first recurrence is skipped. */
  @ApiProperty({ type: 'integer', required: false, nullable: true, minimum: 1, maximum: 8 })
  recursionLimit?: number | null;
}

class ManifestColumnDto {
  /** A letter or _, then at most 62 letters, digits, or _; not id, createdAt, or updatedAt. */
  name!: string;
  type!: ColumnType;
  /** Default false. */
  @ApiProperty({ type: 'boolean', required: false, nullable: true })
  required?: boolean | null;
}

class ManifestEmitsDto {
  /** An event of the manifest. Its payload is the row: id, createdAt, and all columns. */
  onInsert!: string;
}

class ManifestTableDto {
  /** 1 to 63 lowercase letters, digits, _ or -. */
  name!: string;
  /** 1 to 100. */
  columns!: ManifestColumnDto[];
  /** The event that an insert emits. Its payload is the row. */
  @ApiProperty({ type: ManifestEmitsDto, required: false, nullable: true })
  emits?: ManifestEmitsDto | null;
}

class ManifestTaskDto {
  /** Identifies the task across versions. */
  key!: string;
  name!: string;
  /** Default EVENT, or SCHEDULE if there is a schedule. */
  @ApiProperty({ enum: TASK_TYPES, required: false, nullable: true })
  type?: TaskType | null;
  @ApiProperty({ required: false, nullable: true, allOf: [{ $ref: getSchemaPath('TaskScheduleDto') }] })
  schedule?: TaskSchedule | null;
  /** As in POST /api/tasks. */
  @ApiProperty({ allOf: [{ $ref: getSchemaPath('WorkflowDto') }] })
  workflow!: Workflow;
  @ApiProperty({ type: 'integer', required: false, nullable: true })
  concurrency?: number | null;
  /** A template: of the runs with the same value, at most `perKey` execute at once. */
  @ApiProperty({ type: String, required: false, nullable: true, example: '{{trigger.payload.customerId}}' })
  concurrencyKey?: string | null;
  /** 1 (default) to 100. */
  @ApiProperty({ type: 'integer', required: false, nullable: true, minimum: 1, maximum: 100 })
  perKey?: number | null;
  @ApiProperty({ type: 'integer', required: false, nullable: true })
  timeoutMs?: number | null;
  @ApiProperty({ required: false, nullable: true, allOf: [{ $ref: getSchemaPath('TaskRetryOptionsDto') }] })
  retry?: Partial<TaskRetry> | null;
}

class ManifestSubscriptionDto {
  /** Identifies the subscription across versions. */
  key!: string;
  /** An event of the manifest. */
  event!: string;
  /** A task of the manifest, of type EVENT. */
  taskKey!: string;
  @ApiPropertyOptional({ type: 'object', additionalProperties: true, nullable: true })
  filter?: EventFilter | null;
  @ApiProperty({ type: SubscriptionDebounceDto, required: false, nullable: true })
  debounce?: SubscriptionDebounceDto | null;
  /** Not together with `debounce`. */
  @ApiProperty({ type: SubscriptionBatchDto, required: false, nullable: true })
  batch?: SubscriptionBatchDto | null;
  /** Default true. */
  @ApiProperty({ type: 'boolean', required: false, nullable: true })
  enabled?: boolean | null;
}

export class ApplicationManifestDto {
  /** 1 to 63 lowercase letters, digits, ., _ or -. Identifies the application in the space across versions. */
  @ApiProperty({ example: MANIFEST_EXAMPLE.identifier })
  identifier!: string;
  @ApiProperty({ example: MANIFEST_EXAMPLE.name })
  name!: string;
  /** 1 to 63 letters, digits, ., +, _ or -. */
  @ApiProperty({ example: MANIFEST_EXAMPLE.version })
  version!: string;
  /** At most 200. */
  @ApiProperty({ type: [ManifestEventDto], required: false, example: MANIFEST_EXAMPLE.events })
  events?: ManifestEventDto[];
  /** At most 100. */
  @ApiProperty({ type: [ManifestTableDto], required: false, example: MANIFEST_EXAMPLE.tables })
  tables?: ManifestTableDto[];
  /** At most 100. */
  @ApiProperty({ type: [ManifestTaskDto], required: false, example: MANIFEST_EXAMPLE.tasks })
  tasks?: ManifestTaskDto[];
  /** At most 200; each connects a task of the manifest with an event of the manifest. */
  @ApiProperty({
    type: [ManifestSubscriptionDto],
    required: false,
    example: MANIFEST_EXAMPLE.subscriptions,
  })
  subscriptions?: ManifestSubscriptionDto[];
  /** Must be empty: applications install no tools. */
  @ApiProperty({ type: 'array', items: {}, maxItems: 0, required: false, example: [] })
  tools?: never[];
}

export class UpgradeQueryDto {
  /** `true`: check the manifest and return what would change, but change nothing. */
  @IsOptional()
  @IsIn(['true', 'false'])
  dryRun?: string;
}

class ApplicationDto {
  identifier!: string;
  name!: string;
  version!: string;
  installed!: boolean;
  eventCount!: number;
  tableCount!: number;
  taskCount!: number;
  /** The visible beginning of the newest system key that is valid. */
  systemKeyPrefix!: string | null;
  /** When any of its valid system keys was used last. */
  systemKeyLastUsedAt!: string | null;
  installedAt!: string;
  updatedAt!: string;
  uninstalledAt!: string | null;
}

export class ApplicationPageDto extends pageOf(ApplicationDto) {}

export class ApplicationDetailDto extends ApplicationDto {
  manifest!: ApplicationManifestDto;
}

export class InstalledApplicationDto {
  application!: ApplicationDetailDto;
  /** Returned only here. */
  @ApiProperty({ example: 'app_7Yh2…' })
  systemKey!: string;
}

class ManifestChangeDto {
  @ApiProperty({ enum: ['event', 'table', 'task', 'subscription'] })
  kind!: ManifestChange['kind'];
  /** Its name or key. */
  name!: string;
  @ApiProperty({ enum: ['added', 'changed', 'removed'] })
  change!: ManifestChange['change'];
}

class BrokenSubscriptionDto {
  subscriptionId!: string;
  event!: string;
  taskId!: string;
  /** Such as: filter.amount can never match: the event has no field amount. */
  reason!: string;
}

export class UpgradeResultDto {
  application!: ApplicationDetailDto;
  changes!: ManifestChangeDto[];
  /** At most 200 subscriptions that the new version would break, or has broken. */
  brokenSubscriptions!: BrokenSubscriptionDto[];
  /** Whether nothing was changed because this was a dry run. */
  dryRun!: boolean;
}

export class RotatedSystemKeyDto {
  /** Returned only here. */
  systemKey!: string;
  systemKeyPrefix!: string;
}
