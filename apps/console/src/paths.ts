/** Every address of the console, made in one place. */
export const paths = {
  signIn: (to?: string) =>
    to === undefined || to === '/' ? '/sign-in' : `/sign-in?to=${encodeURIComponent(to)}`,
  agents: '/agents',
  newAgent: '/agents/new',
  agent: (agentId: string) => `/agents/${agentId}`,
  playground: (agentId: string, sessionId?: string) =>
    `/agents/${agentId}/playground${sessionId === undefined ? '' : `?session=${encodeURIComponent(sessionId)}`}`,
  models: '/settings/models',
  apiKeys: '/settings/api-keys',
  members: '/settings/members',
} as const;
