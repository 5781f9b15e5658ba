// The wire types and constants are part of the package.
export * from '@platform/contracts';
export { ApiPromise, PagePromise } from './api-promise.ts';
export type { ApiResult } from './api-promise.ts';
export { PlatformClient } from './client.ts';
export type { PlatformClientOptions } from './client.ts';
export { emitManagedEvent } from './emit-managed-event.ts';
export type { EmitSettings } from './emit-managed-event.ts';
export {
  AgentJobError,
  AgentStreamError,
  AgentStreamFailedError,
  PlatformConnectionError,
  PlatformError,
  PlatformTimeoutError,
} from './errors.ts';
export type { AgentStreamErrorCode, PlatformErrorCode } from './errors.ts';
export type { ApiRequest, RequestOptions } from './http.ts';
export type { InvokeOptions, InvokeRequest, JobProgress } from './invoke-async.ts';
export type {
  Authorization,
  LocalTool,
  LocalToolCall,
  LocalToolContext,
  LocalToolOptions,
} from './local-tools.ts';
export { paginate } from './pagination.ts';
export { toProductEvent } from './product-event.ts';
export type { AgentListQuery, AgentsResource, CallDecision, TurnOptions } from './resources/agents.ts';
export type { ApiKeysResource } from './resources/api-keys.ts';
export type { ApplicationsResource } from './resources/applications.ts';
export type { ChangesResource, FollowOptions } from './change-stream.ts';
export type {
  AuditQuery,
  AuditResource,
  AuthResource,
  OAuthGrantsResource,
  OAuthResource,
} from './resources/auth.ts';
export type { ConnectionsResource } from './resources/connections.ts';
export type { ContextResource } from './resources/context.ts';
export type { DataResource, DataTable } from './resources/data.ts';
export type { EventsResource } from './resources/events.ts';
export type { InvitationsResource } from './resources/invitations.ts';
export type { JobsResource, JobWait, VersionedJob } from './resources/jobs.ts';
export type { KnowledgeArchiveFile, KnowledgeFile, KnowledgeResource } from './resources/knowledge.ts';
export type { MembersResource } from './resources/members.ts';
export type { ModelsResource } from './resources/models.ts';
export type { InboxResource, RunsResource, RunWait } from './resources/runs.ts';
export type { SavedViewsResource, SpacesResource } from './resources/spaces.ts';
export type { TasksResource } from './resources/tasks.ts';
export type { McpResource, ToolsResource } from './resources/tools.ts';
export type { TurnsResource } from './resources/turns.ts';
export type { UsageResource } from './resources/usage.ts';
export type {
  NotificationsResource,
  WebhookSecretResource,
  WebhooksResource,
} from './resources/notifications.ts';
export type { ReconnectOptions } from './retry.ts';
export { AgentStreamClient } from './stream-client.ts';
export type {
  AgentStream,
  AttachPosition,
  StreamOptions,
  StreamSource,
  StreamStart,
  StreamTransport,
} from './stream-client.ts';
export { AgentStreamDecoder } from './stream-decoder.ts';
export type { Timer } from './timer.ts';
