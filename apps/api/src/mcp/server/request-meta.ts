import type { ServerContext } from '@modelcontextprotocol/server';
import { isText } from '../../infra/requests/text.ts';
import { isObject } from '../../infra/runtime/json.ts';
import type { Reply } from '../work/mcp-tool.ts';

type Sdk = typeof import('@modelcontextprotocol/server');

/** The extension by which clients follow work that takes long. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
/** Of `_meta`: a repeated call with the same key finds what the first one started. */
const IDEMPOTENCY_KEY = 'idempotencyKey';
const MAX_KEY = 200;
/** W3C Trace Context: version, trace, span, and flags. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The key of the client in `_meta`. */
export function readKey(sdk: Sdk, { mcpReq: { _meta: meta } }: ServerContext): string | null {
  const key = meta?.[IDEMPOTENCY_KEY];
  if (key === undefined) return null;
  if (typeof key === 'string' && key.length > 0 && key.length <= MAX_KEY && isText(key)) return key;
  const message = `_meta["${IDEMPOTENCY_KEY}"] must be a text of 1 to ${MAX_KEY} characters`;
  throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, message);
}

/** The span of the client. As W3C asks, one that is malformed is ignored. */
export function readTraceparent(sdk: Sdk, { mcpReq: { _meta: meta } }: ServerContext): string | null {
  const value = meta?.[sdk.TRACEPARENT_META_KEY];
  return typeof value === 'string' && TRACEPARENT.test(value) ? value : null;
}

/** What the person filled in, for each question that the client sends an answer to. */
export function readReplies(sdk: Sdk, { mcpReq: { inputResponses } }: ServerContext): Reply[] {
  return Object.keys(inputResponses ?? {}).flatMap((interactionId) => {
    const response = sdk.inputResponse(inputResponses, interactionId);
    if (response.kind !== 'elicit') return [];
    return [{ interactionId, values: response.action === 'accept' ? (response.content ?? {}) : null }];
  });
}

export function showsForms(sdk: Sdk, context: ServerContext): boolean {
  const { elicitation } = capabilitiesOf(sdk, context);
  // Clients that name no mode have forms.
  return isObject(elicitation) && ('form' in elicitation || !('url' in elicitation));
}

export function followsWork(sdk: Sdk, context: ServerContext): boolean {
  const { extensions } = capabilitiesOf(sdk, context);
  return isObject(extensions) && isObject(extensions[TASKS_EXTENSION]);
}

function capabilitiesOf(sdk: Sdk, { mcpReq: { envelope } }: ServerContext): Record<string, unknown> {
  const sent: Readonly<Record<string, unknown>> = { ...envelope };
  const capabilities = sent[sdk.CLIENT_CAPABILITIES_META_KEY];
  return isObject(capabilities) ? capabilities : {};
}
