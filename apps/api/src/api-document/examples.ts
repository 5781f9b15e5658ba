import type {
  ChangeToolMethodsRequest,
  ChatRequest,
  CreateAgentRequest,
  CreateModelRequest,
  CreateTaskRequest,
  CreateToolRequest,
  ToolMethodRequest,
} from '@platform/contracts';
import { MANIFEST_EXAMPLE } from '../applications/manifest-example.ts';

/** What a reader replaces with own values: ids, and the account to sign in with. */
export const PLACEHOLDERS = {
  email: 'ada@example.com',
  password: 'correct horse battery staple',
  userId: '01996f2e-0000-7000-8000-000000000001',
  invitationId: '01996f2e-0000-7000-8000-000000000002',
  spaceId: '01996f2e-0000-7000-8000-000000000090',
  apiKeyId: '01996f2e-0000-7000-8000-000000000003',
  modelId: '01996f2e-0000-7000-8000-000000000004',
  taskId: '01996f2e-0000-7000-8000-000000000005',
  runId: '01996f2e-0000-7000-8000-000000000006',
  questionId: '01996f2e-0000-7000-8000-000000000098',
  documentId: '01996f2e-0000-7000-8000-000000000007',
  savedViewId: '01996f2e-0000-7000-8000-000000000106',
  sourceId: '01996f2e-0000-7000-8000-000000000097',
  toolId: '01996f2e-0000-7000-8000-000000000008',
  mcpToolId: '01996f2e-0000-7000-8000-0000000000f2',
  agentId: '01996f2e-0000-7000-8000-000000000009',
  interactionId: '01996f2e-0000-7000-8000-00000000000a',
  attachmentId: '01996f2e-0000-7000-8000-00000000000b',
  jobId: '01996f2e-0000-7000-8000-00000000000c',
  replayId: '01996f2e-0000-7000-8000-00000000000d',
  bulkRunActionId: '01996f2e-0000-7000-8000-0000000000f1',
  envelopeId: '01996f2e-0000-7000-8000-00000000000e',
  subscriptionId: '01996f2e-0000-7000-8000-00000000000f',
  channelId: '01996f2e-0000-7000-8000-000000000081',
  providerId: '01996f2e-0000-7000-8000-000000000093',
  keyProviderId: '01996f2e-0000-7000-8000-000000000095',
  connectionId: '01996f2e-0000-7000-8000-000000000094',
  deliveryId: '01996f2e-0000-7000-8000-000000000082',
  webhookDeliveryId: '01996f2e-0000-7000-8000-000000000083',
  rowId: '01996f2e-0000-7000-8000-000000000010',
  systemKeyId: '01996f2e-0000-7000-8000-000000000011',
  adminId: '01996f2e-0000-7000-8000-000000000012',
  callId: 'call_1',
  responseId: 'resp_67ccd2bed1ec8190',
  optionId: 'option-1',
  mcpUrl: 'https://mcp.example.com/mcp',
  webhookUrl: 'https://shop.example.com/hooks/jobs',
  publicUrl: 'https%3A%2F%2Fplatform.example',
  oauthClientId: '01996f2e-0000-7000-8000-000000000071',
  grantId: '01996f2e-0000-7000-8000-000000000072',
  consentRequest: 'eyJ0eXAiOiJjb25zZW50K2p3dCJ9.e30.c2lnbmF0dXJl',
  code: '01996f2e-0000-7000-8000-000000000072.code',
  refreshToken: '01996f2e-0000-7000-8000-000000000072.refresh',
  toolUpdatedAt: '2026-01-31T12:00:00.000Z',
  offerHash: 'RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o',
} as const;

const P = PLACEHOLDERS;
const TURN = 'f47ac10b-58cc-4372-a567-0e02b2c3d479';
const SESSION = 'support-4711';

export interface OperationExample {
  path?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: unknown;
}

/** A request of an authorization, with the verifier and challenge of RFC 7636. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const REDIRECT = 'http://127.0.0.1:33418/callback';
const AUTHORIZATION = [
  'response_type=code',
  `client_id=${P.oauthClientId}`,
  `redirect_uri=${encodeURIComponent(REDIRECT)}`,
  'code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256',
  `resource=${P.publicUrl}%2Fmcp%2F${P.spaceId}`,
].join('&');

const STREAMED = { 'X-Platform-Stream-Protocol': 'langgraph-v3' };

const chat: ChatRequest = {
  contents: [{ type: 'text', text: 'Where is my parcel?' }],
  session_id: SESSION,
  turnId: TURN,
};

const agent: CreateAgentRequest = {
  name: 'Support',
  model: 'platform/offline',
  systemPrompt: 'You answer questions about orders of {{shop}}.',
  variables: [{ name: 'shop', default: 'the shop' }],
  tools: [{ toolId: 'current_time', methods: null }],
  knowledge: { enabled: true, topK: 5 },
};

const model: CreateModelRequest = {
  name: 'gpt-4o-mini',
  baseUrl: 'https://api.openai.com/v1',
  apiKey: 'sk-your-own-key',
  price: { inputPerMillion: 0.15, outputPerMillion: 0.6 },
};

const schedule = { cron: '0 8 * * 1-5', timezone: 'Europe/Berlin' };
const task: CreateTaskRequest = {
  name: 'Daily report',
  type: 'SCHEDULE',
  schedule: { ...schedule, overlap: 'skip' },
  workflow: { steps: [{ id: 'count', kind: 'code', source: 'return { orders: 3 };' }] },
};

const method = (name: string, path: string): ToolMethodRequest => ({
  name,
  httpMethod: 'get',
  path,
  description: 'Returns what the pet store knows',
  inputSchema: { type: 'object', properties: { id: { type: 'integer', isPort: true } } },
  bindings: path.includes('{id}') ? [{ port: 'id', in: 'path' }] : [],
});

const tool: CreateToolRequest = {
  name: 'Pets',
  serverUrl: 'https://petstore.example.com/v1',
  auth: { type: 'bearer', token: 'a-token-of-the-pet-store' },
  methods: [method('getPet', '/pets/{id}')],
};

const changes: ChangeToolMethodsRequest = {
  updatedAt: P.toolUpdatedAt,
  update: [{ name: 'getPet', change: { cache: { ttlSeconds: 60 } } }],
  remove: ['listPets'],
};

const ofAgent = { path: { agentId: P.agentId } };
const ofTurn = { path: { agentId: P.agentId, turnId: TURN } };
const ofSession = { path: { agentId: P.agentId, sessionId: SESSION } };
const ofOrders = { path: { identifier: 'shop', table: 'orders' } };
const ofRow = { path: { ...ofOrders.path, rowId: P.rowId } };
const ofJob = { path: { jobId: P.jobId } };
const ofShop = { path: { identifier: 'shop' } };
const id = (value: string) => ({ path: { id: value } });
const ofVersion = { id: P.taskId, version: '1' };
const period = { from: '2026-01-01T00:00:00Z', to: '2026-12-31T00:00:00Z', event: 'order.created' };

/**
 * One request for every operation that has parameters or a body. Each works as it is shown, with the placeholders
 * replaced: a test sends them all to the real service.
 */
export const EXAMPLES: Record<string, OperationExample> = {
  login: { body: { email: P.email, password: P.password } },
  refresh: { body: {} },
  logout: { body: {} },
  changePassword: { body: { currentPassword: P.password, newPassword: 'another horse battery staple' } },
  createSpace: { body: { name: 'Support' } },
  addMember: { body: { email: 'grace@example.com', name: 'Grace', role: 'MEMBER' } },
  updateMember: { path: { userId: P.userId }, body: { role: 'ADMIN' } },
  listMembers: { query: { sort: 'createdAt' } },
  previewMemberRemoval: { path: { userId: P.userId }, query: { transferTo: P.adminId } },
  removeMember: { path: { userId: P.userId }, query: { transferTo: P.adminId } },
  withdrawInvitation: id(P.invitationId),
  acceptInvitation: id(P.invitationId),
  declineInvitation: id(P.invitationId),
  createApiKey: { body: { name: 'Continuous integration', scopes: ['invoke', 'use'] } },
  revokeApiKey: id(P.apiKeyId),
  listAuditEntries: { query: { action: 'model.create' } },
  listUsageEntries: { query: { source: 'relay' } },
  getUsageSummary: { query: { window: '7d', groupBy: 'model' } },
  createSavedView: {
    body: { page: 'runs', name: 'Failed since yesterday', query: 'since=24h&status=FAILED', shared: true },
  },
  listSavedViews: { query: { page: 'runs' } },
  updateSavedView: { ...id(P.savedViewId), body: { name: 'Failed runs' } },
  deleteSavedView: id(P.savedViewId),
  getStorage: {},
  setStorageQuotas: { body: { eventBytes: 1_000_000_000, rowBytes: null } },
  grantTokens: { body: { tokens: 1_000_000, note: 'November' } },
  createModel: { body: model },
  listAvailableModels: { body: { modelId: P.modelId } },
  updateModel: { ...id(P.modelId), body: { contextWindow: 64_000 } },
  deleteModel: id(P.modelId),
  testModel: id(P.modelId),
  createTask: { body: task },
  previewSchedule: { body: schedule },
  getTask: id(P.taskId),
  updateTask: { ...id(P.taskId), body: { enabled: false } },
  listTasks: { query: { text: 'report', sort: '-updatedAt' } },
  listTaskVersions: { ...id(P.taskId), query: { limit: '20' } },
  getTaskVersion: { path: ofVersion },
  compareTaskVersions: { path: ofVersion, query: { to: '2' } },
  restoreTaskVersion: { path: ofVersion },
  deleteTask: id(P.taskId),
  runTask: { ...id(P.taskId), body: { inputs: { customer: 'ACME' } } },
  testTask: { ...id(P.taskId), body: { envelopeId: P.envelopeId, effects: 'none' } },
  listTaskRuns: id(P.taskId),
  listScheduledTimes: id(P.taskId),
  changeOwner: { ...id(P.taskId), body: {} },
  cancelRuns: { ...id(P.taskId), body: { status: 'QUEUED' } },
  listRuns: { query: { status: 'SUCCEEDED' } },
  listTaskResults: { query: { taskIds: P.taskId } },
  getRun: id(P.runId),
  cancelRun: id(P.runId),
  previewRetry: id(P.runId),
  retryRun: { ...id(P.runId), body: {} },
  listInbox: { query: { status: 'OPEN' } },
  getQuestion: id(P.questionId),
  answerQuestion: {
    ...id(P.questionId),
    body: { approved: true, values: { amount: 120 }, note: 'As agreed' },
  },
  createDocument: { body: { title: 'Returns', text: 'An item can be returned within 30 days.' } },
  getDocument: id(P.documentId),
  deleteDocument: id(P.documentId),
  updateKnowledgeSettings: { body: { embeddingModel: 'platform/offline' } },
  createKnowledgeSource: {
    body: { kind: 'sitemap', url: 'https://docs.example.com/sitemap.xml', everyHours: 24 },
  },
  getKnowledgeSource: id(P.sourceId),
  updateKnowledgeSource: { ...id(P.sourceId), body: { everyHours: 168 } },
  fetchKnowledgeSource: id(P.sourceId),
  listKnowledgePages: id(P.sourceId),
  deleteKnowledgeSource: { ...id(P.sourceId), query: { documents: 'keep' } },
  createNotificationChannel: {
    body: {
      name: 'Operations',
      kind: 'webhook',
      url: 'https://ops.example.com/notifications',
      events: ['run.failed', 'task.disabled'],
      digestMinutes: 10,
      quietHours: { from: '22:00', to: '07:00', timezone: 'Europe/Berlin' },
    },
  },
  listNotificationChannels: {},
  getNotificationChannel: id(P.channelId),
  updateNotificationChannel: { ...id(P.channelId), body: { digestMinutes: 30 } },
  testNotificationChannel: id(P.channelId),
  deleteNotificationChannel: id(P.channelId),
  listNotificationDeliveries: { query: { status: 'FAILED' } },
  getNotificationDelivery: id(P.deliveryId),
  resendNotification: id(P.deliveryId),
  listWebhookDeliveries: { query: { status: 'FAILED' } },
  getWebhookDelivery: id(P.webhookDeliveryId),
  retryWebhookDelivery: { ...id(P.webhookDeliveryId), body: { attempts: 8 } },
  testWebhook: { body: { url: P.webhookUrl } },
  updatePlatformEvents: { body: { enabled: true } },
  discoverConnectionProvider: { body: { url: P.mcpUrl } },
  createConnectionProvider: {
    body: {
      name: 'GitHub',
      kind: 'oauth2',
      preset: 'github',
      origins: ['https://api.github.com'],
      testUrl: 'https://api.github.com/user',
      oauth: {
        authorizationEndpoint: 'https://github.com/login/oauth/authorize',
        tokenEndpoint: 'https://github.com/login/oauth/access_token',
        clientId: 'Iv1.8a61f9b3a7aba766',
        clientAuth: 'post',
        scopes: ['read:user'],
      },
      clientSecret: 'a secret',
    },
  },
  listConnectionProviders: {},
  getConnectionProvider: id(P.providerId),
  updateConnectionProvider: {
    ...id(P.providerId),
    body: { origins: ['https://api.github.com', 'https://uploads.github.com'] },
  },
  deleteConnectionProvider: id(P.providerId),
  authorizeConnection: { body: { providerId: P.providerId, returnPath: '/connections' } },
  finishConnection: { query: { state: 'Vf1x1pUk0cZ7', code: 'c0de' } },
  createConnection: { body: { providerId: P.keyProviderId, name: 'My weather key', secret: 'a secret' } },
  listConnections: {},
  getConnection: id(P.connectionId),
  updateConnection: { ...id(P.connectionId), body: { name: 'Weather' } },
  testConnection: id(P.connectionId),
  deleteConnection: id(P.connectionId),
  updateMcpOffers: {
    body: { agents: [P.agentId], tasks: [], tools: [{ toolId: 'current_time', methods: null }] },
  },
  callMcp: {
    path: { spaceId: P.spaceId },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  },
  getProtectedResource: { path: { spaceId: P.spaceId } },
  registerClient: { body: { client_name: 'My editor', redirect_uris: [REDIRECT] } },
  previewAuthorization: { body: { query: AUTHORIZATION } },
  answerAuthorization: { body: { request: P.consentRequest, allow: true } },
  issueTokens: {
    body: {
      grant_type: 'authorization_code',
      client_id: P.oauthClientId,
      code: P.code,
      code_verifier: VERIFIER,
      redirect_uri: REDIRECT,
    },
  },
  revokeGrant: id(P.grantId),
  revokeToken: { body: { token: P.refreshToken, client_id: P.oauthClientId } },
  searchKnowledge: { body: { query: 'How long can I return an item?', topK: 3 } },
  updateSpeechTool: { body: { defaultLanguage: 'en-US' } },
  createTool: { body: tool },
  listTools: { query: { text: 'pet', sort: 'name' } },
  getTool: id(P.toolId),
  updateTool: { ...id(P.toolId), body: { description: 'The pet store' } },
  deleteTool: id(P.toolId),
  importToolMethods: {
    ...id(P.mcpToolId),
    body: { methods: [{ tool: 'get_forecast', hash: P.offerHash, name: 'forecast' }] },
  },
  addToolMethods: {
    ...id(P.toolId),
    body: { methods: [method('listPets', '/pets'), method('listShops', '/shops')] },
  },
  changeToolMethods: { ...id(P.toolId), body: changes },
  updateToolMethod: { path: { id: P.toolId, name: 'getPet' }, body: { timeoutMs: 5_000 } },
  deleteToolMethod: { path: { id: P.toolId, name: 'listShops' } },
  invokeToolMethod: { path: { id: P.toolId, name: 'getPet' }, body: { input: { id: 7 } } },
  createAgent: { body: agent },
  search: { query: { q: 'parcel' } },
  listAgents: { query: { accessibleOnly: 'true', sort: 'name' } },
  getAgent: ofAgent,
  updateAgent: { ...ofAgent, body: { description: 'Answers customers' } },
  deleteAgent: ofAgent,
  getAgentAccess: ofAgent,
  listAgentVersions: ofAgent,
  restoreAgentVersion: { path: { agentId: P.agentId, n: '1' } },
  chat: { ...ofAgent, headers: STREAMED, body: chat },
  getTurn: ofTurn,
  getTrace: ofTurn,
  streamTurn: { ...ofTurn, query: { segment: '1', after: '1' } },
  cancelTurn: { ...ofTurn, body: { sessionId: SESSION } },
  execute: { ...ofAgent, body: { inputs: { query: 'Summarize the case', shop: 'ACME' } } },
  listPendingInteractions: ofSession,
  resume: {
    ...ofTurn,
    headers: STREAMED,
    body: { sessionId: SESSION, interactionId: P.interactionId, selectedOptionIds: [P.optionId] },
  },
  listSessions: ofAgent,
  getSession: ofSession,
  renameSession: { ...ofSession, body: { title: 'Where is the parcel?' } },
  deleteSession: ofSession,
  listMessages: ofSession,
  getAttachment: { path: { ...ofSession.path, attachmentId: P.attachmentId } },
  getContextStatus: ofSession,
  compactContext: ofSession,
  undoCompaction: ofSession,
  answerLocalToolCall: { path: { ...ofTurn.path, callId: P.callId }, body: { result: { opened: true } } },
  listTurns: { query: { status: 'COMPLETED' } },
  createJob: {
    body: {
      agentId: P.agentId,
      contents: chat.contents,
      timeoutMs: 600_000,
      idempotencyKey: 'report-2026-01',
    },
  },
  listJobs: { query: { status: 'COMPLETED' } },
  getJob: { ...ofJob, query: { waitMs: '1000' } },
  cancelJob: ofJob,
  streamJob: ofJob,
  listFailures: { query: { from: '2026-01-31T00:00:00Z' } },
  previewBulkRunAction: { body: { action: 'retry', select: { taskId: P.taskId, status: 'FAILED' } } },
  createBulkRunAction: {
    body: { action: 'retry', select: { taskId: P.taskId, status: 'FAILED' }, perSecond: 10 },
  },
  getBulkRunAction: id(P.bulkRunActionId),
  stopBulkRunAction: id(P.bulkRunActionId),
  previewBulkReplay: { body: period },
  createBulkReplay: { body: { ...period, only: 'FAILED_DELIVERIES', perSecond: 10 } },
  getBulkReplay: id(P.replayId),
  stopBulkReplay: id(P.replayId),
  emitTestEvent: {
    path: { application: 'shop', event: 'order.created' },
    body: { payload: { total: 20 }, idempotencyKey: 'test-1' },
  },
  emitEvent: {
    body: {
      appIdentifier: 'shop',
      event: 'order.created',
      payload: { total: 20 },
      idempotencyKey: 'order-7',
    },
  },
  emitEvents: {
    body: {
      events: [
        {
          appIdentifier: 'shop',
          event: 'order.created',
          payload: { total: 20 },
          idempotencyKey: 'order-8',
        },
        {
          appIdentifier: 'shop',
          event: 'order.created',
          payload: { total: 30 },
          idempotencyKey: 'order-9',
        },
      ],
    },
  },
  listEnvelopes: { query: { event: 'order.created', applicationIdentifier: 'shop' } },
  getEnvelopeVolume: { query: { event: 'order.created', applicationIdentifier: 'shop' } },
  getEnvelope: id(P.envelopeId),
  replayEnvelope: { ...id(P.envelopeId), body: { requestKey: 'replay-1' } },
  erasePayload: id(P.envelopeId),
  listSubscriptions: { query: { applicationIdentifier: 'shop' } },
  createSubscription: {
    body: {
      applicationIdentifier: 'shop',
      event: 'order.created',
      taskId: P.taskId,
      filter: { total: [20, 50] },
      debounce: { key: 'note', windowMs: 5_000 },
    },
  },
  previewFilter: {
    body: { applicationIdentifier: 'shop', event: 'order.created', filter: { total: [20, 50] } },
  },
  getSubscription: id(P.subscriptionId),
  updateSubscription: { ...id(P.subscriptionId), body: { enabled: false } },
  deleteSubscription: id(P.subscriptionId),
  getEventSummary: { query: { window: '24h' } },
  listRows: ofOrders,
  createRow: { ...ofOrders, body: { total: 12 } },
  createRows: { ...ofOrders, body: { rows: [{ total: 12 }, { total: 50 }] } },
  updateRow: { ...ofRow, body: { total: 15 } },
  deleteRow: ofRow,
  installApplication: { body: MANIFEST_EXAMPLE },
  getApplication: ofShop,
  upgradeApplication: {
    ...ofShop,
    query: { dryRun: 'true' },
    body: { ...MANIFEST_EXAMPLE, version: '1.1.0' },
  },
  uninstallApplication: ofShop,
  rotateSystemKey: ofShop,
  createSystemKey: ofShop,
  listSystemKeys: ofShop,
  revokeSystemKey: { path: { identifier: 'shop', keyId: P.systemKeyId } },
  retrieveModel: { path: { model: 'platform/offline' } },
  createChatCompletion: {
    body: { model: 'platform/offline', messages: [{ role: 'user', content: 'Hello' }] },
  },
  createResponse: { body: { model: 'gpt-4o-mini', input: 'Say hello' } },
  retrieveResponse: { path: { response: P.responseId } },
  listResponseInput: { path: { response: P.responseId } },
  cancelResponse: { path: { response: P.responseId } },
  deleteResponse: { path: { response: P.responseId } },
  createSpeech: { body: { model: 'gpt-4o-mini', input: 'Hello', voice: 'alloy' } },
  createEmbedding: { body: { model: 'gpt-4o-mini', input: ['one', 'two'] } },
};
