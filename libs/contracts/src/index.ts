export { COLUMN_TYPES } from './applications.ts';
export type {
  Application,
  ApplicationDetail,
  ApplicationManifest,
  BrokenSubscription,
  ColumnType,
  CreateDataRowsRequest,
  CreatedDataRows,
  DataRow,
  DataRowQuery,
  InstalledApplication,
  ManifestChange,
  ManifestColumn,
  ManifestEvent,
  ManifestSubscription,
  ManifestTable,
  ManifestTask,
  RotatedSystemKey,
  UpgradeResult,
} from './applications.ts';

export { ACCESS_SCOPES, TOOL_STATUSES } from './agents.ts';
export type {
  AccessScope,
  Agent,
  AgentAccess,
  AgentAccessUser,
  AgentKnowledge,
  AgentListing,
  AgentSettings,
  AgentTool,
  AgentToolStatus,
  AgentVariable,
  AgentVersion,
  CreateAgentRequest,
  LocalToolDeclaration,
  UpdateAgentRequest,
} from './agents.ts';

export { AUDIT_ACTIONS, ROLES } from './auth.ts';
export type {
  AddedMember,
  AddMemberRequest,
  ApiKey,
  AuditAction,
  AuditEntry,
  ChangePasswordResponse,
  ChangePasswordRequest,
  CreateApiKeyRequest,
  CreatedApiKey,
  CreateSpaceRequest,
  Invitation,
  InvitedMember,
  LoginRequest,
  Me,
  Member,
  PersonalApiKey,
  UserState,
  ReceivedInvitation,
  RefreshRequest,
  Role,
  SignInResponse,
  SpaceSummary,
  UpdateMemberRequest,
  UserSummary,
} from './auth.ts';

export { TURN_STATUSES } from './chat.ts';
export type {
  Attachment,
  AudioContent,
  CancelResponse,
  CancelRequest,
  ChatResponse,
  ChatRequest,
  ChatSettings,
  ContentItem,
  EvidenceDocument,
  ExecuteResponse,
  ExecuteInputs,
  ExecuteRequest,
  ExecuteSettings,
  FileContent,
  ImageContent,
  ImageDetail,
  Interaction,
  InteractionOption,
  KnowledgeEvidence,
  LocalToolResultRequest,
  Message,
  MessageContent,
  RenameSessionRequest,
  ResumeRequest,
  SegmentOrigin,
  Session,
  TextContent,
  TokenUsage,
  ToolExecution,
  Turn,
  TurnOutcome,
  TurnSegment,
  TurnStatus,
} from './chat.ts';

export { SUMMARY_STATUSES } from './context.ts';
export type { CompactionResult, ContextStatus, SummaryStatus } from './context.ts';

export { ERROR_STATUS } from './errors.ts';
export type { ErrorBody, ErrorCode } from './errors.ts';

export { JOB_PHASES, JOB_STATUSES, WEBHOOK_TYPES } from './jobs.ts';
export type {
  CreateJobRequest,
  Job,
  JobInput,
  JobPhase,
  JobQuery,
  JobStatus,
  WebhookMessage,
  WebhookSecret,
  WebhookSecretStatus,
  WebhookType,
} from './jobs.ts';

export { KNOWLEDGE_MEDIA_TYPES, KNOWLEDGE_STATUSES } from './knowledge.ts';
export type {
  CreateKnowledgeDocumentRequest,
  KnowledgeDocument,
  KnowledgeDocumentDetail,
  KnowledgeDocumentQuery,
  KnowledgeMediaType,
  KnowledgeSearchRequest,
  KnowledgeStatus,
} from './knowledge.ts';

export type { Health } from './meta.ts';

export { MODEL_PROVIDERS, OFFLINE_COMMANDS, OFFLINE_MODEL } from './models.ts';
export type {
  CreateModelRequest,
  Model,
  ModelCapabilities,
  ModelPrice,
  ModelProviderKind,
  ModelTestResult,
  UpdateModelRequest,
} from './models.ts';

export type { Page, PageQuery } from './page.ts';

export { listVariables, PLACEHOLDER_PATTERN, VARIABLE_NAME_PATTERN } from './placeholder.ts';

export {
  FRAME_METHODS,
  MAX_FRAME_BYTES,
  PRODUCT_EVENT,
  STREAM_PROTOCOL,
  STREAM_PROTOCOL_HEADER,
  WIRE_EVENT,
} from './stream.ts';
export type {
  FinishReason,
  Frame,
  FrameMethod,
  ProductEvent,
  ProductEventFields,
  ProductEventName,
  WireEventName,
} from './stream.ts';

export { USAGE_ENTRY_KINDS, USAGE_GROUPINGS, USAGE_SOURCES, USAGE_WINDOWS } from './usage.ts';
export type {
  AccountBalance,
  GrantRequest,
  UsageBalance,
  UsageEntry,
  UsageEntryKind,
  UsageEntryQuery,
  UsageFigures,
  UsageGroup,
  UsageGrouping,
  UsageSource,
  UsageSummary,
  UsageSummaryQuery,
  UsageWindow,
} from './usage.ts';

export {
  BULK_REPLAY_STATUSES,
  ENVELOPE_STATUSES,
  EVENT_WINDOWS,
  SUBSCRIPTION_ORIGINS,
  VERDICT_OUTCOMES,
} from './events.ts';
export type {
  BulkReplay,
  BulkReplayStatus,
  CatalogApplication,
  CatalogEvent,
  CausationNode,
  CreateBulkReplayRequest,
  CreateSubscriptionRequest,
  DeliveryOutcome,
  EmitRequest,
  EmitResponse,
  Envelope,
  EnvelopeDetail,
  EnvelopeGeneration,
  EnvelopeQuery,
  EnvelopeReason,
  EnvelopeRun,
  EnvelopeStatus,
  EventFigures,
  EventFilter,
  EventSummary,
  EventWindow,
  FilterPreview,
  FilterPreviewItem,
  FilterPreviewRequest,
  ReplayPreview,
  ReplayQuery,
  ReplayRequest,
  ReplayResponse,
  Subscription,
  SubscriptionOrigin,
  SubscriptionQuery,
  SubscriptionVerdict,
  TestEmissionRequest,
  UpdateSubscriptionRequest,
  VerdictOutcome,
} from './events.ts';

export type { JsonSchema } from './json-schema.ts';

export { EVENT_SOURCES, RUN_STATUSES, TASK_TYPES } from './tasks.ts';
export type {
  AgentStep,
  CodeStep,
  CreateTaskRequest,
  EmitStep,
  EventSource,
  Run,
  RunAttempt,
  RunAttemptStatus,
  RunError,
  RunOrigin,
  RunQuery,
  RunStatus,
  RunStep,
  RunTaskRequest,
  SchedulePreview,
  Step,
  StepKind,
  Task,
  TaskApplication,
  TaskDisabledReason,
  TaskQuery,
  TaskRetry,
  TaskSchedule,
  TaskType,
  ToolStep,
  Trigger,
  UpdateTaskRequest,
  Workflow,
} from './tasks.ts';

export { PORT_LOCATIONS, SPEECH_FORMATS, SPEECH_LANGUAGES, TOOL_KINDS } from './tools.ts';
export type {
  AddToolMethodsRequest,
  ChangeToolMethodsRequest,
  CreateToolRequest,
  InvokeToolRequest,
  MethodBinding,
  MethodCache,
  MethodPortLocation,
  MethodRetry,
  SpeechFormat,
  SpeechLanguage,
  SpeechToolConfiguration,
  Tool,
  ToolAuth,
  ToolAuthStatus,
  ToolInvocation,
  ToolServerResponse,
  ToolKind,
  ToolListing,
  ToolMethod,
  ToolMethodChange,
  ToolMethodRequest,
  ToolMethodSummary,
  ToolQuery,
  UpdateSpeechToolRequest,
  UpdateToolMethodRequest,
  UpdateToolRequest,
} from './tools.ts';

export { SPAN_KINDS, SPAN_STATUSES, TURN_SOURCES } from './traces.ts';
export type { SpanKind, SpanStatus, Trace, TraceSpan, TurnListing, TurnQuery, TurnSource } from './traces.ts';
