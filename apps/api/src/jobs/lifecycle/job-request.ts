import { createHash } from 'node:crypto';
import type { ContentItem } from '@platform/contracts';
import type { InvocableAgent } from '../../agents/invocable-agent.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { invalid } from '../../infra/errors/app-error.ts';
import { isText } from '../../infra/requests/text.ts';
import { canonicalJson } from '../../infra/runtime/json.ts';
import { executeSettings, readInputs } from '../../turns/input/execute-inputs.ts';
import { chooseModel } from '../../turns/input/requested-model.ts';
import { settingsOf } from '../../turns/input/turn-settings.ts';
import type { TurnSettings } from '../../turns/records/turn.ts';
import type { ContentsJobDto, InputsJobDto } from './jobs.dto.ts';

const HOUR_MS = 3_600_000;
const MAX_KEY = 255;

/** A parsed request. */
export interface JobRequest {
  form: 'chat' | 'execute';
  contents: ContentItem[];
  settings: TurnSettings;
  /** Null for a new session. */
  sessionName: string | null;
  hidden: boolean;
  turnId: string | null;
  timeoutMs: number;
  webhookUrl: string | null;
  key: string | null;
  /** Distinguishes requests with the same key. */
  hash: Buffer;
}

/** Parses a validated body, and the `Idempotency-Key` header. */
export function parseJobRequest(
  body: ContentsJobDto | InputsJobDto,
  header: string | undefined,
  caller: UserPrincipal,
  agent: InvocableAgent,
): JobRequest {
  const sessionName = oneOf('sessionId and session_id', body.sessionId, body.session_id);
  const timeoutMs = oneOf('timeoutMs and timeout', body.timeoutMs, body.timeout) ?? HOUR_MS;
  const turnId = body.turnId?.toLowerCase() ?? null;
  const webhookUrl = body.webhook?.url ?? null;
  const asked = 'contents' in body ? { contents: body.contents } : { inputs: body.inputs };
  const settings = Object.entries(body.settings ?? {}).filter(([, value]) => value !== undefined);
  const chosen = chooseModel(caller, agent, body.model);
  const identity = {
    agentId: agent.id,
    ...asked,
    settings: Object.fromEntries(settings) as object,
    ...chosen,
  };
  const hash = createHash('sha256')
    .update(canonicalJson({ ...identity, sessionName, turnId, timeoutMs, webhookUrl }))
    .digest();
  const turn = 'contents' in body ? parseContents(body, agent) : parseInputs(body, sessionName, agent);
  return {
    sessionName,
    hidden: false,
    ...turn,
    settings: { ...turn.settings, ...chosen },
    turnId,
    timeoutMs,
    webhookUrl,
    key: parseKey(body, header),
    hash,
  };
}

function parseContents({ contents, settings }: ContentsJobDto, agent: InvocableAgent) {
  const asked: TurnSettings = { ...settingsOf(agent, { settings }), source: 'job' };
  return { form: 'chat' as const, contents, settings: asked };
}

/** As in an execution, a request without memory gets a new session that is not listed. */
function parseInputs({ inputs, settings }: InputsJobDto, named: string | null, agent: InvocableAgent) {
  const execution = readInputs(inputs, agent);
  const { contents, sessionName, memory } = execution;
  if (sessionName !== null && named !== null && sessionName !== named)
    throw invalid('sessionId and inputs.session_id differ');
  const asked: TurnSettings = {
    ...executeSettings(agent.settings, settings ?? {}, execution, { interactive: false }),
    source: 'job',
  };
  return {
    form: 'execute' as const,
    contents,
    settings: asked,
    sessionName: memory ? (sessionName ?? named) : null,
    hidden: !memory,
  };
}

function parseKey(
  { idempotencyKey }: { idempotencyKey?: string },
  header: string | undefined,
): string | null {
  if (idempotencyKey !== undefined && header !== undefined && idempotencyKey !== header)
    throw invalid('idempotencyKey and the header Idempotency-Key differ');
  const key = idempotencyKey ?? header ?? null;
  if (key !== null && (key === '' || key.length > MAX_KEY || !isText(key)))
    throw invalid(`idempotencyKey must be a string of 1 to ${MAX_KEY} characters`);
  return key;
}

/** Returns the value of two fields with the same meaning. */
function oneOf<T>(names: string, one: T | undefined, other: T | undefined): T | null {
  if (one !== undefined && other !== undefined)
    throw invalid(`${names} have the same meaning; send only one of them`);
  return one ?? other ?? null;
}
