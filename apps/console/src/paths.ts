/** The paths of all pages. */
export const paths = {
  signIn: (to?: string) =>
    to === undefined || to === '/' ? '/sign-in' : `/sign-in?to=${encodeURIComponent(to)}`,
  overview: '/',
  catalog: '/events/catalog',
  subscriptions: '/events/subscriptions',
  event: (applicationIdentifier: string, event: string) =>
    `/events/catalog${formatSearch({ event: `${applicationIdentifier}/${event}` })}`,
  /** The event log, with filters such as `{ status: 'FAILED' }`. */
  eventLog: (filters: Record<string, string | undefined> = {}) => `/events/log${formatSearch(filters)}`,
  /** A subscription; an envelope that did not match leads back to itself. */
  subscription: (subscription: string, because?: string) =>
    `/events/subscriptions${formatSearch({ subscription, because })}`,
  /** An envelope; `fixed` names the subscription whose filter was changed because of it. */
  envelope: (envelopeId: string, fixed?: string) => `/events/log/${envelopeId}${formatSearch({ fixed })}`,
  tasks: '/tasks',
  newTask: (type?: string) => `/tasks/new${formatSearch({ type })}`,
  task: (taskId: string, tab?: 'runs' | 'versions') => `/tasks/${taskId}${formatSearch({ tab })}`,
  inbox: '/inbox',
  question: (questionId: string) => `/inbox${formatSearch({ question: questionId })}`,
  runs: (status?: string) => `/runs${formatSearch({ status })}`,
  failures: (from?: string) => `/runs/failures${formatSearch({ from })}`,
  run: (runId: string) => `/runs/${runId}`,
  applications: '/applications',
  application: (identifier: string) => `/applications/${encodeURIComponent(identifier)}`,
  rows: (identifier: string, table: string) =>
    `/applications/${encodeURIComponent(identifier)}/tables/${encodeURIComponent(table)}`,
  tools: '/tools',
  importTool: '/tools/import',
  newTool: '/tools/new',
  tool: (toolId: string) => `/tools/${encodeURIComponent(toolId)}`,
  method: (toolId: string, name: string) =>
    `/tools/${encodeURIComponent(toolId)}${formatSearch({ method: name })}`,
  reimportTool: (toolId: string) => `/tools/${encodeURIComponent(toolId)}/import`,
  /** Connections; `connect` is a provider to connect to. */
  connections: (search: Record<string, string | undefined> = {}) => `/connections${formatSearch(search)}`,
  knowledge: '/knowledge',
  document: (documentId: string) => `/knowledge?document=${encodeURIComponent(documentId)}`,
  agents: '/agents',
  newAgent: '/agents/new',
  agent: (agentId: string) => `/agents/${agentId}`,
  playground: (agentId: string, sessionId?: string) =>
    `/agents/${agentId}/playground${sessionId === undefined ? '' : `?session=${encodeURIComponent(sessionId)}`}`,
  /** One message to two agents, or to an agent on two models. */
  compare: (agentId: string, other: Record<string, string | undefined> = {}) =>
    `/agents/${agentId}/compare${formatSearch(other)}`,
  /** The turns of all agents, with filters such as `{ status: 'FAILED' }`. */
  traces: (filters: Record<string, string | undefined> = {}) => `/traces${formatSearch(filters)}`,
  trace: (agentId: string, turnId: string) =>
    `/traces/${encodeURIComponent(turnId)}${formatSearch({ agent: agentId })}`,
  jobs: '/jobs',
  jobsWith: (status: string) => `/jobs?status=${status}`,
  job: (jobId: string) => `/jobs?job=${jobId}`,
  models: '/settings/models',
  usage: '/settings/usage',
  apiKeys: '/settings/api-keys',
  mcp: '/settings/mcp',
  members: '/settings/members',
  webhooks: '/settings/webhooks',
  webhooksOfJob: (jobId: string) => `/settings/webhooks?tab=deliveries&jobId=${jobId}`,
  notifications: '/settings/notifications',
  /** The audit log, with filters such as `{ action: 'member.add' }`. */
  audit: (filters: Record<string, string | undefined> = {}) => `/settings/audit${formatSearch(filters)}`,
} as const;

function formatSearch(values: Record<string, string | undefined>): string {
  const present = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return present.length === 0 ? '' : `?${new URLSearchParams(present).toString()}`;
}
