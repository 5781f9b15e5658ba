// The shapes of requests and responses. What a module below declares under the same name takes precedence.
export type * from './schemas.ts';

export { ACCESS_SCOPES, TOOL_STATUSES } from './agents.ts';
export type { AccessScope } from './agents.ts';

export { COLUMN_TYPES } from './applications.ts';
export type { ColumnType, DataRowQuery, RowCondition } from './applications.ts';

export { AUDIT_ACTIONS, KEY_SCOPES, OAUTH_SCOPES, ROLES } from './auth.ts';
export type { AuditAction, KeyScope, OAuthScope, Role, UserState } from './auth.ts';

export {
  CONNECTION_OWNERS,
  CONNECTION_PROVIDER_KINDS,
  OAUTH_CLIENT_AUTHS,
  OAUTH_TOKEN_FORMATS,
  PLACEMENTS,
  SIGN_IN_PROBLEMS,
} from './tools.ts';
export type {
  ConnectionKind,
  ConnectionOwner,
  ConnectionProviderKind,
  ConnectionQuery,
  ConnectionReason,
  ConnectionStatus,
  OAuthClientAuth,
  OAuthTokenFormat,
  SignInProblem,
} from './tools.ts';

export { TURN_STATUSES } from './chat.ts';
export type {
  ContentItem,
  ImageDetail,
  LocalToolResultRequest,
  MessageContent,
  SegmentOrigin,
  TurnOutcome,
  TurnStatus,
} from './chat.ts';

export type { SummaryStatus } from './context.ts';

export { ERROR_STATUS } from './errors.ts';
export type { ErrorCode } from './errors.ts';

export { REPLAY_LIMITS, ENVELOPE_OUTCOMES, ENVELOPE_STATUSES, EVENT_WINDOWS } from './events.ts';
export type {
  BulkReplayStatus,
  ReplayOnly,
  DeliveryOutcome,
  EnvelopeQuery,
  EnvelopeOutcome,
  EnvelopeReason,
  EnvelopeStatus,
  EventFigures,
  EventFilter,
  EventWindow,
  SubscriptionOrigin,
  SubscriptionQuery,
  VerdictOutcome,
} from './events.ts';

export { JOB_STATUSES, WEBHOOK_DELIVERY_STATUSES, WEBHOOK_TYPES } from './jobs.ts';
export type {
  CreateJobRequest,
  JobInput,
  JobPhase,
  JobQuery,
  JobStatus,
  WebhookAttemptOutcome,
  WebhookDeliveryStatus,
  WebhookMessage,
  WebhookTestMessage,
  WebhookType,
} from './jobs.ts';

export type { JsonSchema } from './json-schema.ts';

export { KNOWLEDGE_PAGE_STATUSES, KNOWLEDGE_SOURCE_KINDS, SEARCH_LAYERS } from './knowledge.ts';
export type {
  DeleteKnowledgeSourceQuery,
  EmbeddingStatus,
  KnowledgeDocumentQuery,
  KnowledgeEncoding,
  KnowledgeMediaType,
  KnowledgePageQuery,
  KnowledgePageStatus,
  KnowledgeSourceKind,
  KnowledgeSourceQuery,
  KnowledgeSourceStatus,
  KnowledgeStatus,
  SearchLayer,
} from './knowledge.ts';

export { MODEL_KINDS, MODEL_PROVIDERS, OFFLINE_COMMANDS, OFFLINE_MODEL } from './models.ts';
export type { ModelKind, ModelProviderKind } from './models.ts';

export { ADMIN_VIEW_PAGES, canonicalQuery, SAVED_VIEW_LIMITS, SAVED_VIEW_PAGES } from './page.ts';
export type { Page, PageQuery, SavedViewPage } from './page.ts';

export { PLACEHOLDER_PATTERN, VARIABLE_NAME_PATTERN, listVariables } from './placeholder.ts';

export {
  CHANGE_KINDS,
  FRAME_METHODS,
  MAX_FRAME_BYTES,
  PRODUCT_EVENT,
  STREAM_PROTOCOL,
  STREAM_PROTOCOL_HEADER,
  WIRE_EVENT,
} from './stream.ts';
export type {
  ChangeEvent,
  ChangeKind,
  FinishReason,
  Frame,
  FrameMethod,
  ProductEvent,
  ProductEventFields,
  ProductEventName,
  WireEventName,
} from './stream.ts';

export {
  BULK_RUN_ACTIONS,
  EVENT_SOURCES,
  QUESTION_STATUSES,
  RUN_STATUSES,
  SCHEDULE_OVERLAPS,
  TASK_TYPES,
} from './tasks.ts';
export type {
  BulkRunActionKind,
  EventSource,
  InboxQuery,
  QuestionFieldType,
  QuestionRecipients,
  QuestionStatus,
  FailureQuery,
  RunAttemptStatus,
  RunOrigin,
  RunQuery,
  TaskRunQuery,
  RunStatus,
  RunStepStatus,
  Step,
  StepKind,
  StepOf,
  TaskDisabledReason,
  TaskQuery,
  TaskStepChange,
  TaskType,
  ScheduledTimeOutcome,
  ScheduleOverlap,
} from './tasks.ts';

export {
  APPROVER_GROUPS,
  CALL_MODES,
  PORT_LOCATIONS,
  SPEECH_FORMATS,
  SPEECH_LANGUAGES,
  TOOL_REDIRECTS,
  isManagedHeader,
} from './tools.ts';
export type {
  ApproverGroup,
  Approvers,
  CallMode,
  MethodPortLocation,
  PolicyRule,
  QuestionPurpose,
  SpeechFormat,
  SpeechLanguage,
  ToolAuth,
  ToolAuthStatus,
  ToolKind,
  ToolRedirects,
  ToolQuery,
} from './tools.ts';

export { TURN_SOURCES } from './traces.ts';
export type { SpanKind, SpanStatus, TurnQuery, TurnSource } from './traces.ts';

export {
  LIMITED_STORAGE_KINDS,
  STORAGE_KINDS,
  USAGE_ENTRY_KINDS,
  USAGE_GROUPINGS,
  USAGE_SOURCES,
  USAGE_WINDOWS,
} from './usage.ts';
export {
  NOTIFICATION_CHANNEL_KINDS,
  NOTIFICATION_DELIVERY_STATUSES,
  NOTIFICATION_EVENTS,
  NOTIFICATION_SEVERITIES,
  SMTP_SECURITIES,
} from './events.ts';
export type {
  NotificationChannelKind,
  NotificationDeliveryStatus,
  NotificationEvent,
  NotificationSeverity,
  SmtpSecurity,
} from './events.ts';

export type {
  LimitedStorageKind,
  StorageKind,
  UsageEntryKind,
  UsageEntryQuery,
  UsageGrouping,
  UsageSource,
  UsageSummaryQuery,
  UsageWindow,
} from './usage.ts';
