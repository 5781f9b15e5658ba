import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type {
  Envelope,
  Interaction,
  Job,
  Message,
  Page,
  Run,
  Task,
  Tool,
  ToolImport,
  WebhookDelivery,
} from '@platform/contracts';
import { EXAMPLES, PLACEHOLDERS } from '../src/api-document/examples.ts';
import { startOpenAiServer, type FakeOpenAiServer } from './fixtures/openai-server.ts';
import { sendJson, ToolServer } from './fixtures/tool-server.ts';
import { ScriptedMcpServer } from './fixtures/mcp-servers.ts';
import { makeZip } from './fixtures/zip.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { asApplication } from './harness/applications.ts';
import { eventually } from './harness/eventually.ts';
import { RecordedResponses } from './harness/recorded-responses.ts';
import { responseChecker } from './harness/response-checker.ts';
import { WebhookServer } from './harness/webhook-server.ts';
import { verifies } from './verifies.ts';

type Values = Partial<Record<keyof typeof PLACEHOLDERS | 'turnId' | 'sessionId', string>>;
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
// The response of whichever operation was called.
type Body = Record<string, unknown> & { id: string };

interface Operation {
  method: string;
  path: string;
  operationId: string;
  responses: Record<string, unknown>;
  parameters?: { in: string; name: string; example?: unknown }[];
  requestBody?: { content: Record<string, { examples?: { request: { value: unknown } } }> };
}

interface Step {
  /** Prepares what the example takes as given. Returns the values that replace the placeholders. */
  prepare?: () => Promise<Values>;
  as?: () => TestUser | null;
  headers?: () => Record<string, string>;
  /** The body of an operation that takes a form. */
  form?: () => FormData;
  /** Reads what later examples refer to. */
  keep?: (body: Body, headers: Headers) => Values;
}

const committed = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8'),
) as { paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>> };
const operations = new Map(
  Object.entries(committed.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, one]) => [one.operationId, { ...one, method, path }] as const),
  ),
);

let app: TestApp;
let model: FakeOpenAiServer;
let mcp: ToolServer;
let forecasts: ScriptedMcpServer;
let webhooks: WebhookServer;
let invited: TestUser;
let account: TestUser;
let cookie = '';
let systemKey = '';
/** The real values of the placeholders. */
const values: Values = {};

beforeAll(async () => {
  app = await TestApp.start({ env: { PLATFORM_PUBLIC_URL: 'http://127.0.0.1:3000' } });
  model = await startOpenAiServer({ responses: true });
  mcp = await ToolServer.start();
  forecasts = await ScriptedMcpServer.start();
  webhooks = await WebhookServer.start();
  invited = await app.addUser('MEMBER');
  account = await app.addUser('MEMBER');
});
afterAll(async () => {
  await app.close();
  await Promise.all([model.close(), mcp.stop(), forecasts.stop(), webhooks.close()]);
});

async function call<Result>(method: string, path: string, body?: unknown, as = app.admin): Promise<Result> {
  const answer = await app.request<Result>(method, path, { as, body });
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

const kept = (name: keyof Values) => values[name] ?? '';
const own = (name: keyof Values) => (body: Body) => ({ [name]: body.id });

/** Another admin, who is not an installation administrator, invites the user. */
async function invite(): Promise<Values> {
  const host = await app.addUser('ADMIN', null);
  await call('POST', '/api/members', { email: invited.email, role: 'MEMBER' }, host);
  const { items } = await call<Page<{ id: string }>>('GET', '/api/auth/invitations', undefined, invited);
  return { invitationId: items[0]?.id ?? '' };
}

async function say(text: string, more: object = {}): Promise<Response> {
  const contents = [{ type: 'text', text }];
  return app.fetch('POST', `/api/agents/${kept('agentId')}/chat`, {
    body: { contents, ...more },
    headers: { 'X-Platform-Stream-Protocol': 'langgraph-v3' },
  });
}

async function failedRun(): Promise<Values> {
  const steps = [{ id: 'a', kind: 'code', source: 'throw new Error("no");' }];
  const task = await call<Task>('POST', '/api/tasks', { name: 'Fails', type: 'MANUAL', workflow: { steps } });
  const run = await call<Run>('POST', `/api/tasks/${task.id}/run`, { inputs: {} });
  await eventually(async () => expect((await call<Run>('GET', `/api/runs/${run.id}`)).status).toBe('FAILED'));
  return { runId: run.id };
}

/** A webhook whose server refused all attempts, the last of which is made here. */
async function abandonedWebhook(): Promise<Values> {
  webhooks.respond('/hooks/jobs', 503, 'Maintenance until 12:00');
  const url = webhooks.url('/hooks/jobs');
  const contents = [{ type: 'text', text: 'Hello' }];
  const job = { agentId: kept('agentId'), contents, webhook: { url } };
  const { id: jobId } = await call<Job>('POST', '/api/agent-jobs', job);
  const attempted = (attempts: number) =>
    eventually(async () => {
      const path = `/api/webhook-deliveries?jobId=${jobId}`;
      const [delivery] = (await call<Page<WebhookDelivery>>('GET', path)).items;
      if (delivery?.lastError == null || delivery.attempts !== attempts) throw new Error('Not attempted yet');
      return delivery.id;
    });
  await attempted(1);
  await app.sql(
    `update webhook_delivery set attempts = 7, last_error = null, available_at = clock_timestamp(),
       next_publish_at = clock_timestamp()
     where job_id = $1`,
    [jobId],
  );
  const webhookDeliveryId = await attempted(8);
  webhooks.respond('/hooks/jobs', 200, 'Thank you');
  return { webhookDeliveryId, webhookUrl: url };
}

async function openQuestion(): Promise<Values> {
  const fields = [{ key: 'amount', label: 'Amount', type: 'number' }];
  const steps = [{ id: 'ask', kind: 'ask', message: 'Refund?', fields, approval: true }];
  const task = await call<Task>('POST', '/api/tasks', { name: 'Asks', type: 'MANUAL', workflow: { steps } });
  const run = await call<Run>('POST', `/api/tasks/${task.id}/run`, { inputs: {} });
  const [question] = await eventually(async () => {
    const { questions } = await call<Run>('GET', `/api/runs/${run.id}`);
    expect(questions).toHaveLength(1);
    return questions;
  });
  return { questionId: question?.id ?? '' };
}

async function pendingQuestion(): Promise<Values> {
  const sessionId = 'questions';
  await (await say('/ask Which? | red | blue', { session_id: sessionId })).text();
  const path = `/api/agents/${kept('agentId')}/sessions/${sessionId}/interactions/pending`;
  const [question] = (await call<{ items: Interaction[] }>('GET', path)).items;
  return {
    sessionId,
    turnId: question?.turnId ?? '',
    interactionId: question?.interactionId ?? '',
    optionId: question?.options[0]?.id ?? '',
  };
}

async function attachment(): Promise<Values> {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64');
  const url = `data:image/png;base64,${png}`;
  const contents = [
    { type: 'text', text: 'See' },
    { type: 'image_url', image_url: { url } },
  ];
  await (await say('', { contents, session_id: 'support-4711' })).text();
  const path = `/api/agents/${kept('agentId')}/sessions/support-4711/messages`;
  const { items } = await call<Page<Message>>('GET', path);
  return { attachmentId: /attachments\/([0-9a-f-]{36})/.exec(JSON.stringify(items))?.[1] ?? '' };
}

async function localToolCall(): Promise<Values> {
  const inputSchema = { type: 'object' };
  const localTools = [{ name: 'open_page', description: 'Opens a page', inputSchema }];
  await call('PATCH', `/api/agents/${kept('agentId')}`, { localTools });
  const contents = [{ type: 'text' as const, text: '/local open_page {}' }];
  const stream = app
    .client()
    .agents.chatStream(kept('agentId'), { contents, registeredLocalTools: ['open_page'] });
  for await (const event of stream) {
    if (event.event === 'local.tool.call') return { callId: event.callId, turnId: stream.turnId };
  }
  throw new Error('The tool was not called');
}

function archive(): FormData {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(makeZip([{ name: 'a.md', data: 'A text' }]))]), 'a.zip');
  return form;
}

function recording(): FormData {
  const form = new FormData();
  form.append('model', 'gpt-4o-mini');
  form.append('file', new Blob(['a recording']), 'a.mp3');
  return form;
}

/** Every operation once, in an order in which each finds what it takes as given. */
const STEPS: Record<string, Step> = {
  getLiveness: { as: () => null },
  getReadiness: { as: () => null },
  login: {
    as: () => null,
    prepare: async () => ({ email: account.email, password: account.password }),
    keep: (_, headers) => {
      cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
      return {};
    },
  },
  refresh: {
    as: () => null,
    headers: () => ({ Cookie: cookie }),
    keep: (_, headers) => {
      cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
      return {};
    },
  },
  logout: { as: () => null, headers: () => ({ Cookie: cookie }) },
  changePassword: { as: () => account, prepare: async () => ({ password: account.password }) },
  getMe: {},
  listOwnApiKeys: {},
  listSpaces: {},
  createSpace: {},
  addMember: {},
  listMembers: {},
  updateMember: { prepare: async () => ({ userId: app.member.userId }) },
  previewMemberRemoval: { prepare: async () => ({ adminId: app.admin.userId }) },
  removeMember: { prepare: async () => ({ adminId: app.admin.userId }) },
  listReceivedInvitations: { as: () => invited, prepare: invite },
  acceptInvitation: { as: () => invited },
  declineInvitation: { as: () => invited, prepare: invite },
  listInvitations: {},
  withdrawInvitation: {
    as: () => app.outsider,
    prepare: async () => {
      await call('POST', '/api/members', { email: 'new@example.com', role: 'MEMBER' }, app.outsider);
      const { items } = await call<Page<Body>>('GET', '/api/invitations', undefined, app.outsider);
      return { invitationId: items[0]?.id ?? '' };
    },
  },
  createApiKey: { keep: own('apiKeyId') },
  listApiKeys: {},
  revokeApiKey: {},
  createModel: { keep: own('modelId') },
  listModels: {},
  updateModel: {},
  testModel: {
    prepare: async () => {
      await call('PATCH', `/api/models/${kept('modelId')}`, { baseUrl: model.url, apiKey: '' });
      return {};
    },
  },
  listAvailableModels: {},
  listRelayModels: {},
  retrieveModel: {},
  createChatCompletion: {},
  createResponse: { keep: own('responseId') },
  retrieveResponse: {},
  listResponseInput: {},
  cancelResponse: {},
  deleteResponse: {},
  createTranscription: { form: recording },
  createSpeech: {},
  createEmbedding: {},
  deleteModel: {},
  createSavedView: { keep: own('savedViewId') },
  listSavedViews: {},
  updateSavedView: {},
  deleteSavedView: {},
  getStorage: {},
  setStorageQuotas: {},
  grantTokens: {},
  getUsageBalance: {},
  listUsageEntries: {},
  getUsageSummary: {},
  listAuditEntries: {},
  previewSchedule: {},
  createTask: { keep: own('taskId') },
  listTasks: {},
  getTask: {},
  runTask: { keep: own('runId') },
  cancelRuns: {},
  changeOwner: {},
  listTaskRuns: {},
  listScheduledTimes: {},
  listRuns: {},
  listTaskResults: {
    prepare: async () => {
      await eventually(async () =>
        expect((await call<Run>('GET', `/api/runs/${kept('runId')}`)).finishedAt).not.toBeNull(),
      );
      return {};
    },
  },
  listInbox: {},
  countInbox: {},
  getQuestion: { prepare: openQuestion },
  answerQuestion: {},
  getRun: {},
  cancelRun: {},
  previewRetry: { prepare: failedRun },
  retryRun: {},
  updateTask: {
    prepare: async () => {
      const steps = [{ id: 'count', kind: 'code', source: 'return { orders: 4 };' }];
      await call('PATCH', `/api/tasks/${kept('taskId')}`, { workflow: { steps } });
      return {};
    },
  },
  listTaskVersions: {},
  getTaskVersion: {},
  compareTaskVersions: {},
  restoreTaskVersion: {},
  deleteTask: {},
  createDocument: { keep: own('documentId') },
  uploadArchive: { form: archive },
  listDocuments: {},
  getDocument: {},
  createNotificationChannel: { keep: own('channelId') },
  listNotificationChannels: {},
  getNotificationChannel: {},
  updateNotificationChannel: {},
  testNotificationChannel: { keep: own('deliveryId') },
  listNotificationDeliveries: {},
  getNotificationDelivery: {},
  resendNotification: {},
  getPlatformEvents: {},
  updatePlatformEvents: {},
  deleteNotificationChannel: {},
  createKnowledgeSource: { keep: own('sourceId') },
  listKnowledgeSources: {},
  getKnowledgeSource: {},
  updateKnowledgeSource: {},
  fetchKnowledgeSource: {},
  listKnowledgePages: {},
  deleteKnowledgeSource: {},
  searchKnowledge: {},
  getKnowledgeSettings: {},
  updateKnowledgeSettings: {},
  deleteDocument: {},
  getSpeechTool: {},
  updateSpeechTool: {},
  listConnectionPresets: {},
  discoverConnectionProvider: {
    prepare: () => {
      mcp.respond((response, request) => {
        const isServer = request.url.startsWith('/.well-known/oauth-authorization-server');
        sendJson({ issuer: mcp.url, token_endpoint: `${mcp.url}/token` }, isServer ? 200 : 404)(
          response,
          request,
        );
      });
      return Promise.resolve({ mcpUrl: mcp.url });
    },
  },
  createConnectionProvider: { keep: own('providerId') },
  listConnectionProviders: {},
  getConnectionProvider: {},
  updateConnectionProvider: {},
  authorizeConnection: {},
  // A browser is sent on.
  finishConnection: {},
  createConnection: {
    prepare: async () => {
      const body = { name: 'Weather', kind: 'bearer', origins: ['https://api.example.com'] };
      return { keyProviderId: (await call<{ id: string }>('POST', '/api/connections/providers', body)).id };
    },
    keep: own('connectionId'),
  },
  listConnections: {},
  getConnection: {},
  updateConnection: {},
  testConnection: {},
  deleteConnection: {},
  deleteConnectionProvider: {},
  createTool: { keep: own('toolId') },
  listTools: {},
  getTool: {},
  addToolMethods: {},
  changeToolMethods: {
    prepare: async () => ({
      toolUpdatedAt: (await call<Tool>('GET', `/api/tools/${kept('toolId')}`)).updatedAt ?? '',
    }),
  },
  updateToolMethod: {},
  deleteToolMethod: {},
  updateTool: {},
  importToolMethods: {
    prepare: async () => {
      forecasts.offer({ name: 'get_forecast' }, () => ({ content: [] }));
      const body = { kind: 'mcp', name: 'Weather', serverUrl: forecasts.url };
      const { id } = await call<Tool>('POST', '/api/tools', body);
      const { offers } = await call<ToolImport>('POST', `/api/tools/${id}/import`, {});
      return { mcpToolId: id, offerHash: offers[0]?.hash ?? '' };
    },
  },
  invokeToolMethod: {
    prepare: async () => {
      await call('PATCH', `/api/tools/${kept('toolId')}`, { serverUrl: model.url, auth: { type: 'none' } });
      return {};
    },
  },
  deleteTool: {},
  createAgent: { keep: (body) => ({ agentId: body.id }) },
  listAgents: {},
  search: {},
  getAgent: {},
  updateAgent: {},
  updateMcpOffers: {},
  getMcpOffers: {},
  callMcp: {
    prepare: () => Promise.resolve({ spaceId: app.admin.spaceId }),
    headers: () => ({ Accept: 'application/json, text/event-stream' }),
  },
  getAuthorizationServer: { as: () => null },
  getProtectedResource: { as: () => null },
  registerClient: { as: () => null, keep: (body) => ({ oauthClientId: body.client_id as string }) },
  previewAuthorization: {
    prepare: () => Promise.resolve({ publicUrl: encodeURIComponent('http://127.0.0.1:3000') }),
    keep: (body) => ({ consentRequest: body.request as string }),
  },
  answerAuthorization: {
    keep: ({ redirectTo }) => ({ code: new URL(redirectTo as string).searchParams.get('code') ?? '' }),
  },
  issueTokens: { as: () => null, keep: (body) => ({ refreshToken: body.refresh_token as string }) },
  listGrants: { keep: (body) => ({ grantId: (body.items as Body[])[0]?.id ?? '' }) },
  revokeGrant: {},
  revokeToken: { as: () => null },
  getAgentAccess: {},
  listAgentVersions: {},
  restoreAgentVersion: {},
  chat: {},
  getTurn: {},
  getTrace: {},
  listTurns: {},
  streamTurn: {},
  cancelTurn: {},
  execute: {},
  listPendingInteractions: {},
  resume: { prepare: pendingQuestion },
  listSessions: {},
  getSession: {},
  renameSession: {},
  listMessages: {},
  getAttachment: { prepare: attachment },
  getContextStatus: {},
  compactContext: {},
  undoCompaction: {},
  answerLocalToolCall: { prepare: localToolCall },
  deleteSession: {},
  createJob: { keep: own('jobId') },
  listJobs: {},
  followChanges: {},
  getJob: {},
  streamJob: {
    prepare: async () => {
      await eventually(async () =>
        expect((await call<Job>('GET', `/api/agent-jobs/${kept('jobId')}`)).status).toBe('COMPLETED'),
      );
      return {};
    },
  },
  cancelJob: {},
  getWebhookSecretStatus: {},
  rotateWebhookSecret: {},
  getWebhookDelivery: { prepare: abandonedWebhook },
  listWebhookDeliveries: {},
  retryWebhookDelivery: {},
  testWebhook: {},
  installApplication: {
    keep: (body) => {
      systemKey = body.systemKey as string;
      return {};
    },
  },
  listApplications: {},
  getApplication: {},
  upgradeApplication: {},
  listEventCatalog: {},
  createRow: { keep: (body) => ({ rowId: body.id }) },
  createRows: {},
  listRows: {},
  updateRow: {},
  deleteRow: {},
  emitTestEvent: {},
  emitEvent: {
    as: () => asApplication(app.admin, systemKey),
    keep: (body) => ({ envelopeId: body.envelopeId as string }),
  },
  emitEvents: { as: () => asApplication(app.admin, systemKey) },
  listEnvelopes: {},
  getEnvelopeVolume: {},
  getEnvelope: {},
  replayEnvelope: {
    prepare: async () => {
      await eventually(async () =>
        expect((await call<Envelope>('GET', `/api/events/envelopes/${kept('envelopeId')}`)).status).toBe(
          'DISPATCHED',
        ),
      );
      return {};
    },
  },
  getEventSummary: {},
  previewFilter: {},
  createSubscription: {
    prepare: async () => {
      const steps = [{ id: 'a', kind: 'code', source: 'return 1;' }];
      const task = { name: 'On order', type: 'EVENT', workflow: { steps } };
      return { taskId: (await call<Task>('POST', '/api/tasks', task)).id };
    },
    keep: own('subscriptionId'),
  },
  testTask: { keep: own('runId') },
  listSubscriptions: {},
  getSubscription: {},
  updateSubscription: {},
  deleteSubscription: {},
  listFailures: {},
  previewBulkRunAction: {},
  createBulkRunAction: { keep: own('bulkRunActionId') },
  listBulkRunActions: {},
  getBulkRunAction: {},
  stopBulkRunAction: {},
  previewBulkReplay: {},
  createBulkReplay: { keep: own('replayId') },
  listBulkReplays: {},
  getBulkReplay: {},
  stopBulkReplay: {},
  erasePayload: {
    prepare: async () => {
      await eventually(async () =>
        expect((await call<Envelope>('GET', `/api/events/envelopes/${kept('envelopeId')}`)).status).toBe(
          'DISPATCHED',
        ),
      );
      // The test of a task with the event.
      await eventually(async () =>
        expect((await call<Run>('GET', `/api/runs/${kept('runId')}`)).status).toBe('SUCCEEDED'),
      );
      return {};
    },
  },
  rotateSystemKey: {},
  createSystemKey: { keep: own('systemKeyId') },
  listSystemKeys: {},
  revokeSystemKey: {},
  uninstallApplication: {},
  deleteAgent: {},
};

type Described = { content?: Record<string, { schema?: object }> };

const successOf = (responses: Record<string, unknown>) =>
  Object.entries(responses).flatMap(([status, response]) => (status < '3' ? [response as Described] : []));
/** Responds with a stream to the client of the example, although it can respond with JSON. */
const STREAMED = ['callMcp'];
/** A stream has no example. */
const hasSchema = ({ content }: Described) =>
  content?.['application/json']?.schema !== undefined && !('text/event-stream' in content);

/** How a response differs from the schema of the document. */
const problemsOf = responseChecker(committed);

/** The text of an example with real values in place of the placeholders, for this step or for all later ones. */
function filled(text: string, step: Values): string {
  const all: Record<string, string> = {
    ...PLACEHOLDERS,
    turnId: EXAMPLES.getTurn?.path?.turnId ?? '',
    sessionId: EXAMPLES.getSession?.path?.sessionId ?? '',
  };
  return Object.entries(all).reduce((result, [name, placeholder]) => {
    const value = step[name as keyof Values] ?? values[name as keyof Values];
    return value === undefined ? result : result.replaceAll(placeholder, value);
  }, text);
}

describe('the API document', () => {
  it('has an example for every path parameter and every JSON body, and no other', () => {
    const missing = [...operations.values()].flatMap(({ method, path, parameters = [], requestBody }) => [
      ...parameters.filter((one) => one.in === 'path' && one.example === undefined).map(({ name }) => name),
      ...Object.entries(requestBody?.content ?? {})
        .filter(([type, { examples }]) => type === 'application/json' && examples === undefined)
        .map(() => `${method} ${path}`),
    ]);
    expect(missing).toEqual([]);
    expect(Object.keys(EXAMPLES).filter((name) => !operations.has(name))).toEqual([]);
    for (const [name, { path = {}, query = {}, headers = {} }] of Object.entries(EXAMPLES)) {
      const declared = operations.get(name)?.parameters?.map((one) => one.name) ?? [];
      expect(declared).toEqual(expect.arrayContaining(Object.keys({ ...path, ...query, ...headers })));
    }
  });

  verifies('api.examples', 'has examples that all work as they are shown', async () => {
    expect(Object.keys(STEPS).sort()).toEqual([...operations.keys()].sort());
    const failures: string[] = [];
    const recorded = new RecordedResponses();
    for (const [name, { prepare, as, headers, form, keep }] of Object.entries(STEPS)) {
      const operation = operations.get(name);
      if (operation === undefined) throw new Error(name);
      const step = (await prepare?.()) ?? {};
      const { path = {}, query = {}, headers: shown = {} } = EXAMPLES[name] ?? {};
      const { [JSON_TYPE]: json, [FORM_TYPE]: fields } = operation.requestBody?.content ?? {};
      const body = (json ?? fields)?.examples?.request.value;
      const text = body === undefined ? undefined : filled(JSON.stringify(body), step);
      const url = operation.path.replace(/\{(\w+)\}/g, (_, key: string) =>
        encodeURIComponent(filled(path[key] ?? '', step)),
      );
      const search = new URLSearchParams(
        Object.entries(query).map(([key, value]) => [key, filled(value, step)]),
      ).toString();
      const answer = await app.request<Body>(
        operation.method.toUpperCase(),
        search === '' ? url : `${url}?${search}`,
        {
          as: as === undefined ? app.admin : as(),
          headers: { ...shown, ...headers?.(), ...(fields && { 'Content-Type': FORM_TYPE }) },
          ...(text !== undefined && { raw: fields ? asForm(text) : text }),
          ...(form !== undefined && { raw: form() }),
        },
      );
      const { status } = answer;
      if (status >= 400 || !(String(status) in operation.responses))
        failures.push(`${name}: ${status} ${answer.text}`);
      if (answer.headers.get('content-type')?.includes('json')) {
        failures.push(...problemsOf(name, status, answer.body));
        recorded.add(name, answer.body, { ...values, ...step });
      }
      Object.assign(
        values,
        prepare === undefined ? {} : keptForLater(step),
        keep?.(answer.body, answer.headers),
      );
    }
    expect(failures).toEqual([]);
    if (process.env.RECORD_RESPONSES) recorded.save();
  });

  verifies(
    'api.examples.responses',
    'shows a response of each operation that its schema allows',
    async () => {
      const examples = RecordedResponses.committed();
      const described = [...operations.values()].filter(({ responses }) =>
        successOf(responses).some(hasSchema),
      );
      expect(
        described
          .map(({ operationId }) => operationId)
          .filter((name) => !(name in examples) && !STREAMED.includes(name)),
      ).toEqual([]);
      const problems = Object.entries(examples).flatMap(([name, body]) => {
        const [status = ''] = Object.keys(operations.get(name)?.responses ?? {}).filter((one) => one < '3');
        return problemsOf(name, Number(status), body);
      });
      await expect(Promise.resolve(problems)).resolves.toEqual([]);
    },
  );
});

const asForm = (json: string) => new URLSearchParams(JSON.parse(json) as Record<string, string>).toString();

/** The turn and the session of a step are its own. */
function keptForLater({ turnId: _, sessionId: __, ...rest }: Values): Values {
  return rest;
}
