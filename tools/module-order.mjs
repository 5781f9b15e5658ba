/** The order of the API modules. A module imports only from modules before it; ESLint enforces this. */
export const moduleOrder = [
  'infra',
  'auth',
  'usage',
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

/** The order of the folders in turns/. A folder imports only from folders before it; ESLint enforces this. */
export const turnsFolders = [
  'records',
  'input',
  'context',
  'answers',
  'engine',
  'sessions',
  'lifecycle',
  'traces',
  'interactions',
  'local-tools',
];
