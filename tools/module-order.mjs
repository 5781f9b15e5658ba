/** The order of the API modules. A module imports only from modules before it; ESLint enforces this. */
export const moduleOrder = [
  'infra',
  'auth',
  'usage',
  'storage',
  'models',
  'streams',
  'tasks',
  'knowledge',
  'tools',
  'agents',
  'turns',
  'jobs',
  'events',
  'data',
  'applications',
  'relay',
  'seed',
];

/**
 * The order of the folders inside the modules that have more than twenty files. A folder imports only from folders before
 * it; ESLint enforces this.
 */
export const folderOrder = {
  infra: [
    'runtime',
    'crypto',
    'config',
    'database',
    'routes',
    'errors',
    'requests',
    'responses',
    'outgoing',
    'schemas',
    'messaging',
    'logging',
    'health',
  ],
  auth: ['principals', 'audit', 'limits', 'credentials', 'applications', 'people', 'api-keys', 'sign-in'],
  models: ['port', 'pricing', 'openai', 'offline', 'catalog'],
  tasks: ['runs', 'waits', 'templates', 'definition', 'kinds', 'owners', 'schedule', 'sandbox', 'execution', 'history'],
  knowledge: ['extraction', 'meaning', 'documents', 'sources', 'search', 'web'],
  tools: ['calls', 'speech', 'platform', 'definition'],
  turns: [
    'records',
    'transitions',
    'input',
    'context',
    'answers',
    'engine',
    'sessions',
    'lifecycle',
    'traces',
    'interactions',
    'local-tools',
  ],
  jobs: ['records', 'webhooks', 'queue', 'lifecycle'],
  events: ['catalog', 'records', 'subscriptions', 'summary', 'emission', 'dispatch', 'replay', 'log'],
  data: ['tables', 'rows', 'steps'],
  relay: ['requests', 'upstream', 'offline', 'stored'],
};
