import { AgentVersionEntity } from './agents/agent-version.entity.ts';
import { AgentEntity } from './agents/agent.entity.ts';
import { ApplicationManifestEntity } from './applications/application-manifest.entity.ts';
import { ApiKeyEntity } from './auth/api-key.entity.ts';
import { ApplicationEntity } from './auth/application.entity.ts';
import { AuditEntryEntity } from './auth/audit-entry.entity.ts';
import { InvitationEntity } from './auth/invitation.entity.ts';
import { MembershipEntity } from './auth/membership.entity.ts';
import { RateWindowEntity } from './auth/rate-window.entity.ts';
import { RefreshSessionEntity } from './auth/refresh-session.entity.ts';
import { SpaceEntity } from './auth/space.entity.ts';
import { SystemKeyEntity } from './auth/system-key.entity.ts';
import { UserEntity } from './auth/user.entity.ts';
import { DataRowEntity } from './data/data-row.entity.ts';
import { DataTableEntity } from './data/data-table.entity.ts';
import { BulkReplayEntity } from './events/bulk-replay.entity.ts';
import { CatalogApplicationEntity } from './events/catalog-application.entity.ts';
import { DeliveryEntity } from './events/delivery.entity.ts';
import { EmissionKeyEntity } from './events/emission-key.entity.ts';
import { EnvelopeOutboxEntity } from './events/envelope-outbox.entity.ts';
import { EnvelopeReplayEntity } from './events/envelope-replay.entity.ts';
import { EnvelopeEntity } from './events/envelope.entity.ts';
import { EventCountProgressEntity } from './events/event-count-progress.entity.ts';
import { EventHourEntity } from './events/event-hour.entity.ts';
import { EventMinuteEntity } from './events/event-minute.entity.ts';
import { RegisteredEventEntity } from './events/registered-event.entity.ts';
import { ReplayKeyEntity } from './events/replay-key.entity.ts';
import { SubscriptionEntity } from './events/subscription.entity.ts';
import { JobEntity } from './jobs/job.entity.ts';
import { WebhookDeliveryEntity } from './jobs/webhook-delivery.entity.ts';
import { WebhookSecretEntity } from './jobs/webhook-secret.entity.ts';
import { KnowledgeChunkEntity } from './knowledge/knowledge-chunk.entity.ts';
import { KnowledgeDocumentEntity } from './knowledge/knowledge-document.entity.ts';
import { KnowledgeSourceEntity } from './knowledge/knowledge-source.entity.ts';
import { ModelEntity } from './models/model.entity.ts';
import { StreamFrameEntity } from './streams/stream-frame.entity.ts';
import { StreamEntity } from './streams/stream.entity.ts';
import { RunAttemptEntity } from './tasks/run-attempt.entity.ts';
import { RunQueueEntity } from './tasks/run-queue.entity.ts';
import { RunSlotEntity } from './tasks/run-slot.entity.ts';
import { RunStepEntity } from './tasks/run-step.entity.ts';
import { RunEntity } from './tasks/run.entity.ts';
import { ScheduledRunEntity } from './tasks/scheduled-run.entity.ts';
import { TaskEntity } from './tasks/task.entity.ts';
import { ToolConfigurationEntity } from './tools/tool-configuration.entity.ts';
import { ToolMethodEntity } from './tools/tool-method.entity.ts';
import { ToolResponseEntity } from './tools/tool-response.entity.ts';
import { ToolEntity } from './tools/tool.entity.ts';
import { CompactionEntity } from './turns/context/compaction.entity.ts';
import { ContextPageEntity } from './turns/context/context-page.entity.ts';
import { AttachmentEntity } from './turns/records/attachment.entity.ts';
import { CancelRequestEntity } from './turns/records/cancel-request.entity.ts';
import { InteractionEntity } from './turns/records/interaction.entity.ts';
import { LocalToolCallEntity } from './turns/records/local-tool-call.entity.ts';
import { SegmentEntity } from './turns/records/segment.entity.ts';
import { SessionEntity } from './turns/records/session.entity.ts';
import { StepEntity } from './turns/records/step.entity.ts';
import { TurnEntity } from './turns/records/turn.entity.ts';
import { AccountEntity } from './usage/account.entity.ts';
import { EntryEntity } from './usage/entry.entity.ts';
import { ReservationEntity } from './usage/reservation.entity.ts';

/** Every table has one entity; `entities.e2e-spec.ts` compares them with the migrated schema. */
export const entities = [
  AgentVersionEntity,
  AgentEntity,
  ApplicationManifestEntity,
  ApiKeyEntity,
  ApplicationEntity,
  AuditEntryEntity,
  InvitationEntity,
  MembershipEntity,
  RateWindowEntity,
  RefreshSessionEntity,
  SpaceEntity,
  SystemKeyEntity,
  UserEntity,
  DataRowEntity,
  DataTableEntity,
  BulkReplayEntity,
  CatalogApplicationEntity,
  DeliveryEntity,
  EmissionKeyEntity,
  EnvelopeOutboxEntity,
  EnvelopeReplayEntity,
  EnvelopeEntity,
  EventCountProgressEntity,
  EventHourEntity,
  EventMinuteEntity,
  RegisteredEventEntity,
  ReplayKeyEntity,
  SubscriptionEntity,
  JobEntity,
  WebhookDeliveryEntity,
  WebhookSecretEntity,
  KnowledgeChunkEntity,
  KnowledgeDocumentEntity,
  KnowledgeSourceEntity,
  ModelEntity,
  StreamFrameEntity,
  StreamEntity,
  RunAttemptEntity,
  RunQueueEntity,
  RunSlotEntity,
  RunStepEntity,
  RunEntity,
  ScheduledRunEntity,
  TaskEntity,
  ToolConfigurationEntity,
  ToolMethodEntity,
  ToolResponseEntity,
  ToolEntity,
  CompactionEntity,
  ContextPageEntity,
  AttachmentEntity,
  CancelRequestEntity,
  InteractionEntity,
  LocalToolCallEntity,
  SegmentEntity,
  SessionEntity,
  StepEntity,
  TurnEntity,
  AccountEntity,
  EntryEntity,
  ReservationEntity,
];
