import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { ErrorBodyDto } from '../infra/errors/error.dto.ts';
import { isOAuthPath, isRelayPath } from '../infra/routes/paths.ts';
import type { Route } from '../infra/routes/route-table.registry.ts';
import { OAUTH_ERROR } from './oauth-error.schema.ts';
import { OPENAI_ERROR } from './openai-error.schema.ts';

type OperationResponses = NonNullable<OpenAPIObject['paths'][string]['get']>['responses'];

const DESCRIPTIONS: Record<number, string> = {
  400: 'The request is invalid: the message names the field and what is expected.',
  401: 'The credential is missing or invalid.',
  402: 'The token balance of the user or the space is used up.',
  403: 'The caller may not do this, or the resource belongs to another space.',
  404: 'There is no such resource.',
  409: 'The state of the resource does not allow this: the message says why.',
  413: 'The body is too large.',
  426: 'A stream needs the header `X-Platform-Stream-Protocol: langgraph-v3`.',
  429: 'Too many requests, open streams, or running turns; `Retry-After` says when to try again.',
  500: 'An error that the service did not expect.',
  502: 'The tool did not respond.',
  503: 'The service, its database, or the model is unavailable; `Retry-After` says when to try again.',
};

/** Those of the routes below `/models/v1`. */
const RELAY_STATUSES = new Set([400, 401, 402, 403, 404, 413, 429, 500, 503]);

/** Those of the endpoints of OAuth. */
const OAUTH_STATUSES = new Set([400, 401, 413, 429, 500, 503]);

/** Statuses that depend on stored state or on others, by operation. */
const MORE: Record<string, number[]> = {
  acceptInvitation: [409],
  addMember: [409],
  addToolMethods: [409],
  answerAuthorization: [409],
  answerLocalToolCall: [409],
  answerQuestion: [409],
  changeOwner: [409],
  changeToolMethods: [409],
  chat: [402, 409, 426],
  compactContext: [402, 409],
  createConnection: [404, 409, 502],
  createConnectionProvider: [409],
  updateConnectionProvider: [409],
  deleteConnectionProvider: [409],
  authorizeConnection: [404],
  createBulkReplay: [409],
  createBulkRunAction: [409],
  createChatCompletion: [402, 404],
  createDocument: [409],
  createKnowledgeSource: [409],
  fetchKnowledgeSource: [409],
  uploadArchive: [409],
  createEmbedding: [402, 404],
  createJob: [404, 409],
  createModel: [409],
  createResponse: [402, 404],
  createTranscription: [402, 404],
  createSpeech: [402, 404],
  createSubscription: [404, 409],
  createTool: [409],
  declineInvitation: [409],
  deleteModel: [409],
  deleteSession: [409],
  deleteTask: [409],
  deleteTool: [409],
  deleteToolMethod: [409],
  createNotificationChannel: [409],
  createSavedView: [409],
  updateSavedView: [409],
  resendNotification: [409],
  createRow: [409],
  createRows: [409],
  updateRow: [409],
  emitEvent: [404, 409],
  emitTestEvent: [409],
  erasePayload: [409],
  execute: [402, 409, 426],
  grantTokens: [404],
  importToolMethods: [409, 502],
  installApplication: [409],
  createSystemKey: [409],
  invokeToolMethod: [409, 502],
  issueTokens: [401],
  listAvailableModels: [404],
  login: [401, 403],
  previewAuthorization: [404],
  previewFilter: [404],
  refresh: [401, 403, 404],
  removeMember: [409],
  replayEnvelope: [409],
  restoreTaskVersion: [409],
  revokeToken: [401],
  resume: [402, 409, 426],
  previewRetry: [409],
  retryRun: [409],
  retryWebhookDelivery: [409],
  runTask: [409],
  testTask: [409],
  streamJob: [409],
  streamTurn: [409],
  undoCompaction: [409],
  updateAgent: [409],
  updateMember: [409],
  updateModel: [409],
  updateSubscription: [409],
  updateTask: [409],
  updateTool: [409],
  updateToolMethod: [409],
  upgradeApplication: [409],
};

export interface RouteFacts {
  operationId: string;
  path: string;
  route: Route;
  hasBody: boolean;
  hasQuery: boolean;
}

/** The error responses that a route really has, as references to `ERROR_RESPONSES`. */
export function errorResponses(facts: RouteFacts): OperationResponses {
  const prefix = prefixOf(facts.path);
  const responses = statusesOf(facts).map((status) => [
    status,
    { $ref: `#/components/responses/${prefix}${status}` },
  ]);
  return Object.fromEntries(responses) as OperationResponses;
}

function prefixOf(path: string): string {
  if (isRelayPath(path)) return 'OpenAiError';
  return isOAuthPath(path) ? 'OAuthError' : 'Error';
}

/** The components that `errorResponses` refers to. */
export const ERROR_RESPONSES = Object.fromEntries(
  Object.entries(DESCRIPTIONS).flatMap(([status, description]) => [
    [`Error${status}`, jsonResponse(description, { $ref: getSchemaPath(ErrorBodyDto) })],
    ...(RELAY_STATUSES.has(Number(status))
      ? [[`OpenAiError${status}`, jsonResponse(description, OPENAI_ERROR)]]
      : []),
    ...(OAUTH_STATUSES.has(Number(status))
      ? [[`OAuthError${status}`, jsonResponse(description, OAUTH_ERROR)]]
      : []),
  ]),
) as NonNullable<NonNullable<OpenAPIObject['components']>['responses']>;

function jsonResponse(description: string, schema: object): object {
  return { description, content: { 'application/json': { schema } } };
}

function statusesOf({ operationId, path, route, hasBody, hasQuery }: RouteFacts): number[] {
  const statuses = new Set([500, 503, ...(MORE[operationId] ?? [])]);
  if (route.rule !== 'public') statuses.add(401).add(403);
  if (route.rule !== 'public' || route.method === 'POST') statuses.add(429);
  if (path.includes('{')) statuses.add(404);
  // A body where none is expected is invalid, too, and so is a path that cannot be decoded.
  if (route.method !== 'GET' || hasQuery || path.includes('{')) statuses.add(400);
  if (hasBody) statuses.add(413);
  return [...statuses].sort((a, b) => a - b);
}
