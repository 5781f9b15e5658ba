import { PlatformClient } from '@platform/client';
import type { SignInResponse } from '@platform/contracts';
import { QueryClient } from '@tanstack/react-query';
import { endWaitForSignIn, waitForSignIn } from './ui/browser/expiry.ts';
import { abandonPage } from './ui/browser/unsaved-input.ts';
import { announceWait } from './ui/browser/waiting.ts';

/** The access token is kept only in memory. After a reload, the refresh cookie provides a new one. */
let accessToken: string | null = null;
/** Aborts when the user signs out. */
let signedIn = new AbortController();
/** Changes whenever somebody signs out: what was asked for before must not sign them in again. */
let signOuts = 0;
/** While the user signs out, the service refuses what is still open. */
let isLeaving = false;

/** Marks that a refresh cookie may exist, so that first-time visitors send no request. */
const SIGNED_IN = 'platform.signed-in';

export const queryClient = new QueryClient({
  defaultOptions: {
    // The client library already retries idempotent requests.
    queries: {
      staleTime: 10_000,
      retry: false,
      // What was loaded catches up with the stream of changes; see useChanges.
      refetchOnReconnect: ({ state }) => state.status === 'error',
    },
    // Without a connection, a mutation would wait for one, and take effect after the user has left the form.
    mutations: { retry: false, networkMode: 'always' },
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
  turns: ['turns', 'list'] as const,
  turn: (agentId: string, turnId: string) => ['turns', 'one', agentId, turnId] as const,
  jobs: ['jobs'] as const,
  job: (jobId: string) => ['jobs', 'one', jobId] as const,
  catalog: ['catalog'] as const,
  subscriptions: ['subscriptions'] as const,
  subscription: (id: string) => ['subscriptions', 'one', id] as const,
  envelopes: ['envelopes'] as const,
  envelope: (id: string) => ['envelopes', 'one', id] as const,
  filterPreview: ['filter-preview'] as const,
  bulkReplays: ['bulk-replays'] as const,
  bulkReplay: (id: string) => ['bulk-replays', 'one', id] as const,
  eventSummary: ['event-summary'] as const,
  tasks: ['tasks'] as const,
  task: (taskId: string) => ['tasks', 'one', taskId] as const,
  taskVersions: (taskId: string) => ['tasks', 'one', taskId, 'versions'] as const,
  schedulePreview: ['schedule-preview'] as const,
  scheduledTimes: (taskId: string) => ['tasks', 'one', taskId, 'times'] as const,
  inbox: ['inbox'] as const,
  inboxCount: ['inbox', 'count'] as const,
  question: (questionId: string) => ['inbox', 'one', questionId] as const,
  runs: ['runs'] as const,
  failures: ['runs', 'failures'] as const,
  taskResults: ['task-results'] as const,
  bulkRunActions: ['bulk-run-actions'] as const,
  bulkRunAction: (id: string) => ['bulk-run-actions', 'one', id] as const,
  run: (runId: string) => ['runs', 'one', runId] as const,
  applications: ['applications'] as const,
  application: (identifier: string) => ['applications', 'one', identifier] as const,
  systemKeys: (identifier: string) => ['applications', 'one', identifier, 'keys'] as const,
  rows: (identifier: string, table: string) => ['rows', identifier, table] as const,
  tools: ['tools'] as const,
  tool: (toolId: string) => ['tools', 'one', toolId] as const,
  speech: ['tools', 'speech'] as const,
  connections: ['connections'] as const,
  connection: (connectionId: string) => ['connections', 'one', connectionId] as const,
  connectionProviders: ['connection-providers'] as const,
  connectionPresets: ['connection-presets'] as const,
  knowledge: ['knowledge'] as const,
  knowledgeSettings: ['knowledge', 'settings'] as const,
  knowledgeSources: ['knowledge', 'sources'] as const,
  knowledgeSource: (sourceId: string) => ['knowledge', 'source', sourceId] as const,
  knowledgePages: (sourceId: string, status?: string) =>
    ['knowledge', 'source', sourceId, 'pages', status] as const,
  knowledgeDocument: (documentId: string) => ['knowledge', 'one', documentId] as const,
  knowledgeSearch: (query: string, topK: number) => ['knowledge', 'search', query, topK] as const,
  usage: ['usage'] as const,
  webhookSecret: ['webhook-secret'] as const,
  webhookDeliveries: ['webhook-deliveries'] as const,
  webhookDelivery: (id: string) => ['webhook-deliveries', 'one', id] as const,
  notificationChannels: ['notifications', 'channels'] as const,
  platformEvents: ['notifications', 'events'] as const,
  notificationDeliveries: ['notifications', 'deliveries'] as const,
  audit: ['audit'] as const,
  savedViews: ['saved-views'] as const,
  models: ['models'] as const,
  apiKeys: ['api-keys'] as const,
  personalApiKeys: ['api-keys', 'personal'] as const,
  mcpOffers: ['mcp', 'offers'] as const,
  oauthGrants: ['mcp', 'grants'] as const,
  consent: (query: string) => ['consent', query] as const,
  members: ['members'] as const,
  invitations: ['invitations'] as const,
  receivedInvitations: ['received-invitations'] as const,
};

export const client = new PlatformClient({
  baseUrl: '',
  accessToken: () => accessToken,
  onUnauthorized: renewAccess,
  onWait: announceWait,
  // An answer goes on by itself when the connection is back, and at once.
  streams: { reconnect: { attempts: 600, maxDelayMs: 1_000 }, idleTimeoutMs: 15_000 },
});

/** A signal for what is sent also without its page, but not for the next person at this browser. */
export const getSignOutSignal = (): AbortSignal => signedIn.signal;

/** Sets the current session; null signs the user out. */
export function setSession(session: SignInResponse | null): void {
  accessToken = session?.accessToken ?? null;
  if (session === null) {
    signOuts += 1;
    signedIn.abort();
    signedIn = new AbortController();
    endWaitForSignIn();
    localStorage.removeItem(SIGNED_IN);
    // The next person at this browser must not find what was entered.
    sessionStorage.clear();
  } else localStorage.setItem(SIGNED_IN, 'yes');
  queryClient.setQueryData(keys.session, session);
  // Nor what was loaded.
  if (session === null)
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.session[0] });
}

/** Returns the session of the refresh cookie, or null if there is none. */
export async function restoreSession(): Promise<SignInResponse | null> {
  if (localStorage.getItem(SIGNED_IN) === null) return null;
  try {
    const session = await client.auth.refresh();
    accessToken = session.accessToken;
    return session;
  } catch (error) {
    if (!isRejected(error)) throw error;
    localStorage.removeItem(SIGNED_IN);
    return null;
  }
}

/**
 * Reloads the user, the rights, and the space of this page, whatever space another tab has chosen. False if somebody else has
 * signed in there: the page is left then, because what it shows and sends is not theirs.
 */
export async function reloadSession(): Promise<boolean> {
  const before = signOuts;
  const former = queryClient.getQueryData<SignInResponse | null>(keys.session);
  const session = await client.auth.refresh(former == null ? {} : { spaceId: former.space.id });
  if (former != null && session.user.id !== former.user.id) {
    abandonPage();
    return false;
  }
  if (signOuts === before) setSession(session);
  return true;
}

async function renewAccess(): Promise<string | null> {
  const before = signOuts;
  try {
    if (!(await reloadSession())) return null;
  } catch (error) {
    if (!isRejected(error)) throw error;
    if (isLeaving || signOuts !== before) return null;
    const session = queryClient.getQueryData<SignInResponse | null>(keys.session);
    if (session == null) setSession(null);
    // Nothing that was entered may be lost: the page stays, and what was sent waits for the user.
    else accessToken = await waitForSignIn(error instanceof Error ? error.message : '');
  }
  return accessToken;
}

function isRejected(error: unknown): boolean {
  return error instanceof Error && 'status' in error && (error.status === 401 || error.status === 403);
}

/** Switches to another space with a full page load, so that no data of the previous space can appear. */
export async function switchSpace(spaceId: string): Promise<void> {
  await client.auth.refresh({ spaceId });
  window.location.assign('/');
}

export async function signOut(): Promise<void> {
  isLeaving = true;
  try {
    await client.auth.logout();
  } finally {
    isLeaving = false;
  }
  setSession(null);
}
