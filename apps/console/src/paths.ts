/** The paths of all pages. */
export const paths = {
  signIn: (to?: string) =>
    to === undefined || to === '/' ? '/sign-in' : `/sign-in?to=${encodeURIComponent(to)}`,
  agents: '/agents',
  newAgent: '/agents/new',
  agent: (agentId: string) => `/agents/${agentId}`,
  playground: (agentId: string, sessionId?: string) =>
    `/agents/${agentId}/playground${sessionId === undefined ? '' : `?session=${encodeURIComponent(sessionId)}`}`,
  jobs: '/jobs',
  job: (jobId: string) => `/jobs?job=${jobId}`,
  models: '/settings/models',
  usage: '/settings/usage',
  apiKeys: '/settings/api-keys',
  members: '/settings/members',
} as const;
