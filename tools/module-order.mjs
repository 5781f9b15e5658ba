/** The modules of the API in their one order: a module imports only from modules before it (ESLint enforces it). */
export const moduleOrder = [
  'infra',
  'auth',
  'usage',
  'models',
  'streams',
  'tasks',
  'tools',
  'knowledge',
  'agents',
  'turns',
  'jobs',
  'events',
  'data',
  'applications',
  'relay',
  'seed',
];

/** The folders inside turns/ in their one order: a folder imports only from the folders before it. */
export const turnsFolders = [
  'records',
  'input',
  'context',
  'answers',
  'engine',
  'sessions',
  'lifecycle',
  'interactions',
  'local-tools',
];
