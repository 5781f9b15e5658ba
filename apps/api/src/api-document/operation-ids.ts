/** What the operations of a controller are about, if it is not the name of the controller. */
const NOUNS: Record<string, string> = {
  Audit: 'AuditEntry',
  Catalog: 'EventCatalog',
  Data: 'Row',
  Knowledge: 'Document',
  Providers: 'ConnectionProvider',
  ReceivedInvitations: 'ReceivedInvitation',
  Speech: 'SpeechTool',
  Summary: 'EventSummary',
};

/** Names that the rule below would not find. */
const NAMES: Record<string, string> = {
  AgentsController_access: 'getAgentAccess',
  AgentsController_restore: 'restoreAgentVersion',
  AgentsController_versions: 'listAgentVersions',
  ApplicationsController_rotateKey: 'rotateSystemKey',
  AuthController_listKeys: 'listOwnApiKeys',
  AuthController_me: 'getMe',
  BulkReplaysController_preview: 'previewBulkReplay',
  BulkRunActionsController_preview: 'previewBulkRunAction',
  ChangesController_follow: 'followChanges',
  CatalogController_list: 'listEventCatalog',
  ConnectionSignInController_authorize: 'authorizeConnection',
  ConnectionSignInController_callback: 'finishConnection',
  ProvidersController_discover: 'discoverConnectionProvider',
  ProvidersController_presets: 'listConnectionPresets',
  ContextController_compact: 'compactContext',
  ContextController_status: 'getContextStatus',
  ContextController_undo: 'undoCompaction',
  DataController_createMany: 'createRows',
  EmitController_emit: 'emitEvent',
  EmitController_emitBatch: 'emitEvents',
  HealthController_live: 'getLiveness',
  HealthController_ready: 'getReadiness',
  InboxController_answer: 'answerQuestion',
  InboxController_count: 'countInbox',
  InboxController_get: 'getQuestion',
  InboxController_list: 'listInbox',
  InteractionsController_pending: 'listPendingInteractions',
  JobsController_stream: 'streamJob',
  KnowledgeController_createAll: 'uploadArchive',
  KnowledgeController_search: 'searchKnowledge',
  KnowledgeSourcesController_fetch: 'fetchKnowledgeSource',
  KnowledgeSourcesController_pages: 'listKnowledgePages',
  LocalToolsController_localTool: 'answerLocalToolCall',
  ModelsController_listAvailable: 'listAvailableModels',
  MembersController_previewRemoval: 'previewMemberRemoval',
  ReceivedInvitationsController_accept: 'acceptInvitation',
  ReceivedInvitationsController_decline: 'declineInvitation',
  ChannelsController_create: 'createNotificationChannel',
  ChannelsController_delete: 'deleteNotificationChannel',
  ChannelsController_get: 'getNotificationChannel',
  ChannelsController_list: 'listNotificationChannels',
  ChannelsController_update: 'updateNotificationChannel',
  DeliveriesController_get: 'getNotificationDelivery',
  DeliveriesController_list: 'listNotificationDeliveries',
  DeliveriesController_resend: 'resendNotification',
  DeliveriesController_test: 'testNotificationChannel',
  RelayController_complete: 'createChatCompletion',
  RelayController_embed: 'createEmbedding',
  RelayController_inputItems: 'listResponseInput',
  RelayController_model: 'retrieveModel',
  RelayController_models: 'listRelayModels',
  RelayController_respond: 'createResponse',
  RelayController_speak: 'createSpeech',
  RelayController_transcribe: 'createTranscription',
  EnvelopesController_countVolume: 'getEnvelopeVolume',
  ResultsController_list: 'listTaskResults',
  RunsController_listOfTask: 'listTaskRuns',
  RunsController_start: 'runTask',
  TaskTestsController_test: 'testTask',
  SchedulesController_listTimes: 'listScheduledTimes',
  SessionsController_attachment: 'getAttachment',
  SessionsController_messages: 'listMessages',
  SpeechController_put: 'updateSpeechTool',
  SubscriptionsController_preview: 'previewFilter',
  TaskVersionsController_compare: 'compareTaskVersions',
  TaskVersionsController_restore: 'restoreTaskVersion',
  TestEmissionsController_emitTest: 'emitTestEvent',
  ToolsController_addMethods: 'addToolMethods',
  ToolsController_changeMethods: 'changeToolMethods',
  ToolsController_deleteMethod: 'deleteToolMethod',
  ToolsController_importMethods: 'importToolMethods',
  ToolsController_invoke: 'invokeToolMethod',
  ToolsController_updateMethod: 'updateToolMethod',
  TracesController_list: 'listTurns',
  TracesController_trace: 'getTrace',
  TurnsController_attach: 'streamTurn',
  TurnsController_turn: 'getTurn',
  UsageController_balance: 'getUsageBalance',
  UsageController_entries: 'listUsageEntries',
  UsageController_grant: 'grantTokens',
  UsageController_summary: 'getUsageSummary',
  SearchController_search: 'search',
  WebhookDeliveriesController_get: 'getWebhookDelivery',
  WebhookDeliveriesController_list: 'listWebhookDeliveries',
  WebhookDeliveriesController_retry: 'retryWebhookDelivery',
  WebhookDeliveriesController_test: 'testWebhook',
  WebhookSecretController_state: 'getWebhookSecretStatus',
};

/**
 * Names an operation after its method and its controller: `list` of `AgentsController` is `listAgents`, and `create` is
 * `createAgent`. A method whose name says enough keeps it, such as `chat` and `login`.
 */
export function operationId(controller: string, method: string): string {
  const name = NAMES[`${controller}_${method}`];
  if (name !== undefined) return name;
  const plain = controller.replace(/Controller$/, '');
  const noun = NOUNS[plain] ?? singular(plain);
  if (method === 'list') return `list${plural(noun)}`;
  return SINGLE_VERBS.test(method) ? method + noun : method;
}

/** The words of a name as a title: `listApiKeys` is "List API keys". */
export function titleOf(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  return title
    .replace(/\bapi\b/i, 'API')
    .replace(/\boauth\b/i, 'OAuth')
    .replace(/\bme\b/, 'the caller');
}

/** Verbs that need a noun. */
const SINGLE_VERBS =
  /^(get|create|add|update|put|delete|remove|revoke|cancel|retry|stop|test|replay|rotate|install|upgrade|uninstall|withdraw|search|rename)$/;

const singular = (noun: string) =>
  noun.endsWith('ies') ? `${noun.slice(0, -3)}y` : noun.replace(/([^s])s$/, '$1');
const plural = (noun: string) => (/[^aeou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`);
