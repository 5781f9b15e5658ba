import { AgentVersionEntity } from './agents/agent-version.entity.ts';
import { AgentEntity } from './agents/agent.entity.ts';
import { SweepEntity } from './infra/database/sweep.entity.ts';
import { ApplicationManifestEntity } from './applications/application-manifest.entity.ts';
import { ApiKeyEntity } from './auth/credentials/api-key.entity.ts';
import { ApplicationEntity } from './auth/applications/application.entity.ts';
import { AuditEntryEntity } from './auth/audit/audit-entry.entity.ts';
import { InvitationEntity } from './auth/people/invitation.entity.ts';
import { MembershipEntity } from './auth/principals/membership.entity.ts';
import { OAuthClientEntity } from './auth/grants/oauth-client.entity.ts';
import { OAuthGrantEntity } from './auth/grants/oauth-grant.entity.ts';
import { RateWindowEntity } from './auth/limits/rate-window.entity.ts';
import { RefreshSessionEntity } from './auth/credentials/refresh-session.entity.ts';
import { SpaceEntity } from './auth/principals/space.entity.ts';
import { SystemKeyEntity } from './auth/credentials/system-key.entity.ts';
import { UserEntity } from './auth/principals/user.entity.ts';
import { ChangeEntity } from './changes/change.entity.ts';
import { ConnectionProviderEntity } from './connections/records/connection-provider.entity.ts';
import { ConnectionSignInEntity } from './connections/records/connection-sign-in.entity.ts';
import { ConnectionUseEntity } from './connections/records/connection-use.entity.ts';
import { ConnectionEntity } from './connections/records/connection.entity.ts';
import { DataRowEntity } from './data/rows/data-row.entity.ts';
import { DataSizeEntity } from './data/rows/data-size.entity.ts';
import { DataValueEntity } from './data/rows/data-value.entity.ts';
import { DataTableEntity } from './data/tables/data-table.entity.ts';
import { BulkRunActionEntity } from './tasks/failures/bulk-run-action.entity.ts';
import { BulkReplayEntity } from './events/replay/bulk-replay.entity.ts';
import { CatalogApplicationEntity } from './events/catalog/catalog-application.entity.ts';
import { BatchedEventEntity } from './events/records/batched-event.entity.ts';
import { EventBatchEntity } from './events/records/event-batch.entity.ts';
import { DebouncedRunEntity } from './events/records/debounced-run.entity.ts';
import { DeliveryEntity } from './events/records/delivery.entity.ts';
import { EmissionKeyEntity } from './events/records/emission-key.entity.ts';
import { EnvelopeOutboxEntity } from './events/records/envelope-outbox.entity.ts';
import { EnvelopeReplayEntity } from './events/records/envelope-replay.entity.ts';
import { EnvelopeEntity } from './events/records/envelope.entity.ts';
import { EmissionRefusalEntity } from './events/summary/emission-refusal.entity.ts';
import { EventCountProgressEntity } from './events/summary/event-count-progress.entity.ts';
import { EventHourEntity } from './events/summary/event-hour.entity.ts';
import { EventMinuteEntity } from './events/summary/event-minute.entity.ts';
import { RegisteredEventEntity } from './events/catalog/registered-event.entity.ts';
import { ReplayKeyEntity } from './events/records/replay-key.entity.ts';
import { SubscriptionEntity } from './events/subscriptions/subscription.entity.ts';
import { JobEntity } from './jobs/records/job.entity.ts';
import { WebhookAttemptEntity } from './jobs/webhooks/webhook-attempt.entity.ts';
import { WebhookDeliveryEntity } from './jobs/webhooks/webhook-delivery.entity.ts';
import { WebhookSecretEntity } from './jobs/webhooks/webhook-secret.entity.ts';
import { KnowledgeChunkEntity } from './knowledge/documents/knowledge-chunk.entity.ts';
import { KnowledgeDocumentEntity } from './knowledge/documents/knowledge-document.entity.ts';
import { KnowledgeCodeEntity } from './knowledge/meaning/knowledge-code.entity.ts';
import { KnowledgeEmbeddingWorkEntity } from './knowledge/meaning/knowledge-embedding-work.entity.ts';
import { KnowledgeEmbeddingEntity } from './knowledge/meaning/knowledge-embedding.entity.ts';
import { KnowledgeSettingsEntity } from './knowledge/meaning/knowledge-settings.entity.ts';
import { KnowledgeVectorEntity } from './knowledge/meaning/knowledge-vector.entity.ts';
import { KnowledgeWebHostEntity } from './knowledge/sources/knowledge-web-host.entity.ts';
import { KnowledgeWebPageEntity } from './knowledge/sources/knowledge-web-page.entity.ts';
import { KnowledgeWebSourceEntity } from './knowledge/sources/knowledge-web-source.entity.ts';
import { KnowledgeSourceEntity } from './knowledge/documents/knowledge-source.entity.ts';
import { FactEntity } from './infra/facts/fact.entity.ts';
import { McpOffersEntity } from './mcp/offers/mcp-offers.entity.ts';
import { ModelEntity } from './models/catalog/model.entity.ts';
import { StreamFrameEntity } from './streams/stream-frame.entity.ts';
import { StreamEntity } from './streams/stream.entity.ts';
import { NotificationChannelEntity } from './notifications/channels/notification-channel.entity.ts';
import { NotificationDeliveryEntity } from './notifications/deliveries/notification-delivery.entity.ts';
import { NotificationItemEntity } from './notifications/deliveries/notification-item.entity.ts';
import { NotificationEntity } from './notifications/deliveries/notification.entity.ts';
import { RelayResponseEntity } from './relay/stored/relay-response.entity.ts';
import { SavedViewEntity } from './saved-views/saved-view.entity.ts';
import { StorageQuotaEntity } from './storage/storage-quota.entity.ts';
import { RunAttemptEntity } from './tasks/runs/run-attempt.entity.ts';
import { RunEffectEntity } from './tasks/runs/run-effect.entity.ts';
import { RunKeyPlaceEntity } from './tasks/keys/run-key-place.entity.ts';
import { RunStartKeyEntity } from './tasks/keys/run-start-key.entity.ts';
import { RunQueueEntity } from './tasks/runs/run-queue.entity.ts';
import { RunSlotEntity } from './tasks/runs/run-slot.entity.ts';
import { RunStepEntity } from './tasks/runs/run-step.entity.ts';
import { RunEntity } from './tasks/runs/run.entity.ts';
import { AwaitedEventEntity } from './tasks/waits/awaited-event.entity.ts';
import { RunWaitEntity } from './tasks/waits/run-wait.entity.ts';
import { ScheduledRunEntity } from './tasks/schedule/scheduled-run.entity.ts';
import { QuestionRecipientEntity } from './tasks/inbox/question-recipient.entity.ts';
import { QuestionEntity } from './tasks/inbox/question.entity.ts';
import { TaskEntity } from './tasks/definition/task.entity.ts';
import { TaskVersionEntity } from './tasks/versions/task-version.entity.ts';
import { ToolConfigurationEntity } from './tools/speech/tool-configuration.entity.ts';
import { ToolMethodEntity } from './tools/definition/tool-method.entity.ts';
import { ToolResponseEntity } from './tools/calls/tool-response.entity.ts';
import { ConsentEntity } from './tools/policies/consent.entity.ts';
import { ToolEntity } from './tools/definition/tool.entity.ts';
import { CompactionEntity } from './turns/context/compaction.entity.ts';
import { ContextPageEntity } from './turns/context/context-page.entity.ts';
import { AttachmentEntity } from './turns/records/attachment.entity.ts';
import { CancelRequestEntity } from './turns/records/cancel-request.entity.ts';
import { DismissalEntity } from './turns/interactions/dismissal.entity.ts';
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
  SweepEntity,
  AgentVersionEntity,
  AgentEntity,
  ApplicationManifestEntity,
  ApiKeyEntity,
  ApplicationEntity,
  AuditEntryEntity,
  InvitationEntity,
  MembershipEntity,
  OAuthClientEntity,
  OAuthGrantEntity,
  RateWindowEntity,
  RefreshSessionEntity,
  SpaceEntity,
  SystemKeyEntity,
  UserEntity,
  ChangeEntity,
  DataRowEntity,
  DataSizeEntity,
  DataValueEntity,
  DataTableEntity,
  BulkReplayEntity,
  BulkRunActionEntity,
  CatalogApplicationEntity,
  BatchedEventEntity,
  EventBatchEntity,
  DebouncedRunEntity,
  DeliveryEntity,
  EmissionKeyEntity,
  EnvelopeOutboxEntity,
  EnvelopeReplayEntity,
  EnvelopeEntity,
  EmissionRefusalEntity,
  EventCountProgressEntity,
  EventHourEntity,
  EventMinuteEntity,
  RegisteredEventEntity,
  ReplayKeyEntity,
  SubscriptionEntity,
  JobEntity,
  WebhookAttemptEntity,
  WebhookDeliveryEntity,
  WebhookSecretEntity,
  KnowledgeChunkEntity,
  KnowledgeDocumentEntity,
  KnowledgeCodeEntity,
  KnowledgeEmbeddingEntity,
  KnowledgeEmbeddingWorkEntity,
  KnowledgeSettingsEntity,
  KnowledgeSourceEntity,
  KnowledgeWebHostEntity,
  KnowledgeWebPageEntity,
  KnowledgeWebSourceEntity,
  KnowledgeVectorEntity,
  FactEntity,
  ConnectionProviderEntity,
  ConnectionSignInEntity,
  ConnectionUseEntity,
  ConnectionEntity,
  McpOffersEntity,
  ModelEntity,
  StreamFrameEntity,
  StreamEntity,
  NotificationChannelEntity,
  NotificationDeliveryEntity,
  NotificationItemEntity,
  NotificationEntity,
  RelayResponseEntity,
  SavedViewEntity,
  StorageQuotaEntity,
  RunAttemptEntity,
  RunEffectEntity,
  RunKeyPlaceEntity,
  RunStartKeyEntity,
  RunQueueEntity,
  RunSlotEntity,
  RunStepEntity,
  RunEntity,
  AwaitedEventEntity,
  RunWaitEntity,
  ScheduledRunEntity,
  QuestionRecipientEntity,
  QuestionEntity,
  TaskEntity,
  TaskVersionEntity,
  ToolConfigurationEntity,
  ToolMethodEntity,
  ToolResponseEntity,
  ConsentEntity,
  ToolEntity,
  CompactionEntity,
  ContextPageEntity,
  AttachmentEntity,
  CancelRequestEntity,
  DismissalEntity,
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
