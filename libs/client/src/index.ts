export { PlatformClient } from './client.ts';
export type { PlatformClientOptions } from './client.ts';
export {
  AgentStreamError,
  AgentStreamFailedError,
  PlatformConnectionError,
  PlatformError,
} from './errors.ts';
export type { AgentStreamErrorCode, PlatformErrorCode } from './errors.ts';
export type { ApiRequest, RequestOptions } from './http.ts';
export { paginate } from './pagination.ts';
export { toProductEvent } from './product-event.ts';
export type { AgentListQuery, AgentsResource, AttachPosition } from './resources/agents.ts';
export type { ApiKeysResource } from './resources/api-keys.ts';
export type { AuditQuery, AuditResource } from './resources/audit.ts';
export type { AuthResource } from './resources/auth.ts';
export type { MembersResource } from './resources/members.ts';
export type { ModelsResource } from './resources/models.ts';
export type { SpacesResource } from './resources/spaces.ts';
export type { UsageResource } from './resources/usage.ts';
export { AgentStreamClient } from './stream-client.ts';
export type {
  AgentStream,
  ReconnectOptions,
  StreamOptions,
  StreamSource,
  StreamTransport,
} from './stream-client.ts';
export { AgentStreamDecoder } from './stream-decoder.ts';
export type { Timer } from './timer.ts';
