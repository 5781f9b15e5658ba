import { PlatformClient } from '@platform/client';
import type { SignInResponse } from '@platform/contracts';
import { QueryClient } from '@tanstack/react-query';

/** The access token lives here and nowhere else; a reload gets a new one by the refresh cookie. */
let accessToken: string | null = null;

/** Tells a reload that a refresh cookie is worth trying, so that a stranger's first page asks for nothing. */
const SIGNED_IN = 'platform.signed-in';

export const queryClient = new QueryClient({
  defaultOptions: {
    // The client library itself repeats what is safe to repeat.
    queries: { staleTime: 10_000, retry: false },
    mutations: { retry: false },
  },
});

export const keys = {
  session: ['session'] as const,
  agents: ['agents'] as const,
  agent: (agentId: string) => ['agents', agentId] as const,
  agentAccess: (agentId: string) => ['agents', agentId, 'access'] as const,
  agentVersions: (agentId: string) => ['agents', agentId, 'versions'] as const,
  sessions: (agentId: string) => ['sessions', agentId] as const,
  chatSession: (agentId: string, sessionId: string) => ['sessions', agentId, sessionId] as const,
  messages: (agentId: string, sessionId: string) => ['sessions', agentId, sessionId, 'messages'] as const,
  pendingInteractions: (agentId: string, sessionId: string) =>
    ['sessions', agentId, sessionId, 'pending'] as const,
  context: (agentId: string, sessionId: string) => ['sessions', agentId, sessionId, 'context'] as const,
  attachment: (agentId: string, sessionId: string, attachmentId: string) =>
    ['attachments', agentId, sessionId, attachmentId] as const,
  turn: (agentId: string, turnId: string) => ['turns', agentId, turnId] as const,
  jobs: ['jobs'] as const,
  job: (jobId: string) => ['jobs', 'one', jobId] as const,
  usage: ['usage'] as const,
  models: ['models'] as const,
  apiKeys: ['api-keys'] as const,
  personalApiKeys: ['api-keys', 'personal'] as const,
  members: ['members'] as const,
  invitations: ['invitations'] as const,
  receivedInvitations: ['received-invitations'] as const,
};

export const client = new PlatformClient({
  baseUrl: '',
  accessToken: () => accessToken,
  onUnauthorized: renewAccess,
});

/** Makes the answer of a sign-in (or null) the present session. */
export function setSession(session: SignInResponse | null): void {
  accessToken = session?.accessToken ?? null;
  if (session === null) localStorage.removeItem(SIGNED_IN);
  else localStorage.setItem(SIGNED_IN, 'yes');
  queryClient.setQueryData(keys.session, session);
}

/** The session of the refresh cookie; null when there is none. */
export async function restoreSession(): Promise<SignInResponse | null> {
  if (localStorage.getItem(SIGNED_IN) === null) return null;
  try {
    const session = await client.auth.refresh();
    accessToken = session.accessToken;
    return session;
  } catch (error) {
    if (!isRefused(error)) throw error;
    localStorage.removeItem(SIGNED_IN);
    return null;
  }
}

/** Asks again what the person is and where he belongs. */
export async function reloadSession(): Promise<void> {
  setSession(await client.auth.refresh());
}

async function renewAccess(): Promise<string | null> {
  try {
    await reloadSession();
  } catch (error) {
    if (!isRefused(error)) throw error;
    setSession(null);
  }
  return accessToken;
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && 'status' in error && (error.status === 401 || error.status === 403);
}

/** Starts the console anew in another space: nothing of the one before can show, not for a moment. */
export async function switchSpace(spaceId: string): Promise<void> {
  await client.auth.refresh({ spaceId });
  window.location.assign('/');
}

export async function signOut(): Promise<void> {
  await client.auth.logout();
  setSession(null);
  queryClient.removeQueries({ predicate: (query) => query.queryKey[0] !== keys.session[0] });
}
