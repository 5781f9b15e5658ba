import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { PlatformConnectionError, PlatformError } from '@platform/client';
import type { Interaction } from '@platform/contracts';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { createMemoryRouter, Outlet, RouterProvider } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client, keys, queryClient, setSession } from '../../api.ts';
import { LeaveGuard } from '../../ui/forms/leave-guard.tsx';
import { keepText } from './kept-text.ts';
import { createLiveTurn } from './turns/live-turn.ts';
import { Component as PlaygroundPage } from './playground-page.tsx';

const space = { id: 's1', name: 'Space', role: 'ADMIN' as const };
const sessionOf = (id: string) =>
  ({
    accessToken: 'token',
    user: { id, name: id, email: `${id}@example.com` },
    space,
    spaces: [space],
  }) as never;
const AGENT = { id: 'a1', name: 'Order desk', accessible: true, model: 'platform/offline', systemPrompt: '' };
const AT = '2026-01-01T00:00:00.000Z';
const OBSERVER = { observe: () => undefined, disconnect: () => undefined };

/** The user message and the answer of a turn. */
const turn = (n: number) =>
  (['user', 'assistant'] as const).map((role) => ({
    id: `${n}-${role === 'user' ? 0 : 1}`,
    turnId: `turn-${n}`,
    role,
    contents: [{ type: 'text', text: `${role} ${n}` }],
    turnStatus: 'COMPLETED',
    createdAt: AT,
  }));

let messages: jest.SpiedFunction<typeof client.agents.messages>;

beforeEach(() => {
  setSession(sessionOf('u1'));
  globalThis.IntersectionObserver = jest.fn(() => OBSERVER) as never;
  const sessions = ['First', 'Second'].map((title) => ({
    sessionId: title.toLowerCase(),
    title,
    runningTurnId: null,
    lastTurnAt: AT,
  }));
  jest.spyOn(client.agents, 'get').mockResolvedValue(AGENT as never);
  jest.spyOn(client.agents, 'sessions').mockResolvedValue({ items: sessions, nextCursor: null } as never);
  jest.spyOn(client.agents, 'session').mockResolvedValue({ runningTurnId: null } as never);
  jest.spyOn(client.agents, 'pendingInteractions').mockResolvedValue([]);
  jest.spyOn(client.agents.context, 'status').mockResolvedValue({ maxTokens: 0 } as never);
  messages = jest.spyOn(client.agents, 'messages');
  messages.mockResolvedValue({ items: turn(1), nextCursor: null } as never);
});
afterEach(() => {
  cleanup();
  jest.restoreAllMocks();
  delete (globalThis as { IntersectionObserver?: unknown }).IntersectionObserver;
  setSession(null);
});

async function show(address = '/agents/a1/playground?session=first') {
  const layout = (
    <>
      <LeaveGuard />
      <Outlet />
    </>
  );
  const children = [
    { path: '/agents/:agentId/playground', element: <PlaygroundPage /> },
    { path: '*', element: <p>Other page</p> },
  ];
  const router = createMemoryRouter([{ element: layout, children }], { initialEntries: [address] });
  const user = await renderInApp(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await screen.findByLabelText('Message');
  return { user, router, go: (to: string) => act(() => router.navigate(to)) };
}

const input = () => screen.findByLabelText<HTMLTextAreaElement>('Message');
const write = async (value: string) => fireEvent.change(await input(), { target: { value } });
const written = async () => (await input()).value;
const open = async (name: string) => {
  fireEvent.click(await screen.findByRole('link', { name: new RegExp(name) }));
  await waitFor(() => {
    expect(screen.getByRole('link', { current: 'page' }).textContent).toContain(name);
  });
};

it('keeps what is written in each conversation, also while the page is left', async () => {
  const { go } = await show();
  await write('Half a thought');
  await open('Second');
  expect(await written()).toBe('');
  await write('Another');
  await go('/elsewhere');
  await screen.findByText('Other page');
  await go('/agents/a1/playground?session=first');
  expect(await written()).toBe('Half a thought');
  fireEvent.click(screen.getByRole('button', { name: 'New conversation' }));
  await waitFor(async () => expect(await written()).toBe(''));
  await write('A new one');
  await go('/elsewhere');
  await go('/agents/a1/playground');
  expect(await written()).toBe('A new one');
});

it('keeps what is written for the user who has written it', async () => {
  const { go } = await show();
  await write('Half a thought');
  await go('/elsewhere');
  act(() => setSession(sessionOf('u2')));
  await go('/agents/a1/playground?session=first');
  expect(await written()).toBe('');
  await go('/elsewhere');
  act(() => setSession(null));
  act(() => setSession(sessionOf('u1')));
  await go('/agents/a1/playground?session=first');
  expect(await written()).toBe('');
});

async function attachNotes(user: UserEvent) {
  const picker = document.querySelector<HTMLInputElement>('input[type=file]');
  // jsdom has no such method.
  const bytes = { arrayBuffer: () => Promise.resolve(new TextEncoder().encode('notes').buffer) };
  const file = Object.assign(new File(['notes'], 'notes.txt', { type: 'text/plain' }), bytes);
  await user.upload(picker as HTMLInputElement, file);
  await screen.findByText('notes.txt');
}

it('keeps attached files in their conversation, and asks before the page is left with them', async () => {
  const { user, router, go } = await show();
  await attachNotes(user);
  await open('Second');
  expect(screen.queryByText('notes.txt')).toBeNull();
  await open('First');
  await screen.findByText('notes.txt');
  await go('/elsewhere');
  await user.click(await screen.findByRole('button', { name: 'Stay' }));
  expect(router.state.location.pathname).toBe('/agents/a1/playground');
  await user.click(screen.getByRole('button', { name: 'Remove notes.txt' }));
  await go('/elsewhere');
  await screen.findByText('Other page');
});

it.each(['First', 'Second'])('forgets the files of a conversation that is deleted from %s', async (at) => {
  const remove = jest.spyOn(client.agents, 'deleteSession').mockResolvedValue(undefined);
  const { user, go } = await show();
  await attachNotes(user);
  await open(at);
  await user.click(screen.getByRole('button', { name: 'Delete conversation First' }));
  await user.click(await screen.findByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(remove).toHaveBeenCalledWith('a1', 'first'));
  await go('/elsewhere');
  await screen.findByText('Other page');
});

it('asks before an earlier message takes the place of what is written', async () => {
  const { user } = await show();
  await write('Half a thought');
  await user.click(await screen.findByRole('button', { name: 'Edit and send again' }));
  await user.click(await screen.findByRole('button', { name: 'Cancel' }));
  expect(await written()).toBe('Half a thought');
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Replace' })).toBeNull());
  await user.click(screen.getByRole('button', { name: 'Edit and send again' }));
  await user.click(await screen.findByRole('button', { name: 'Replace' }));
  await waitFor(async () => expect(await written()).toBe('user 1'));
});

const page = (n: number, nextCursor: string | null = null) => ({ items: turn(n), nextCursor }) as never;
const examples = () => screen.queryByRole('list', { name: 'Examples' });

it('shows that a conversation is being loaded, and not a new one', async () => {
  const loading = Promise.withResolvers<never>();
  messages.mockReturnValue(loading.promise as never);
  await show();
  await screen.findByLabelText('Loading');
  expect(examples()).toBeNull();
  await act(async () => loading.resolve(page(1)));
  await screen.findByText('user 1');
});

it('begins a new conversation at once', async () => {
  await show('/agents/a1/playground');
  await screen.findByRole('list', { name: 'Examples' });
  expect(messages).not.toHaveBeenCalled();
});

it('says that a conversation does not exist, and leads to a new one', async () => {
  const missing = { status: 404, code: 'NOT_FOUND', message: 'Session not found' } as const;
  messages.mockRejectedValue(
    new PlatformError({ ...missing, requestId: null, turnId: null, retryAfter: null }),
  );
  const { user, router } = await show('/agents/a1/playground?session=gone');
  await screen.findByText('This conversation does not exist');
  expect(examples()).toBeNull();
  const [link] = screen.getAllByRole('link', { name: 'New conversation' });
  await user.click(link as HTMLElement);
  await screen.findByRole('list', { name: 'Examples' });
  expect(router.state.location.search).toBe('');
});

it('says that earlier messages could not be loaded, and tries again', async () => {
  messages.mockResolvedValueOnce(page(2, 'older'));
  messages.mockRejectedValueOnce(new PlatformConnectionError('lost'));
  messages.mockResolvedValueOnce(page(1));
  const { user } = await show();
  await user.click(await screen.findByRole('button', { name: 'Show earlier messages' }));
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('cannot be reached');
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByText('user 1');
  expect(screen.queryByRole('alert')).toBeNull();
});

const QUESTION = {
  interactionId: 'i-1',
  turnId: 'turn-1',
  sessionId: 'first',
  kind: 'single',
  question: 'Which tea?',
  options: [{ id: 'g', label: 'Green' }],
  allowOther: true,
  minSelected: 1,
  maxSelected: 1,
  createdAt: AT,
  expiresAt: AT,
} as Interaction;

it('keeps an answer that is refused, says why, and sends it once however often it is submitted', async () => {
  const asked = turn(1).map((message) => ({ ...message, turnStatus: 'INPUT_REQUIRED' }));
  messages.mockResolvedValue({ items: asked, nextCursor: null } as never);
  jest.spyOn(client.agents, 'pendingInteractions').mockResolvedValue([QUESTION]);
  const empty = { status: 402, code: 'INSUFFICIENT_TOKENS', message: 'The balance is used up' } as const;
  const refused = new PlatformError({ ...empty, requestId: null, turnId: null, retryAfter: null });
  const resume = jest.spyOn(client.agents, 'resume').mockReturnValue({
    turnId: 'turn-1',
    requestId: null,
    // eslint-disable-next-line require-yield -- The service refuses before the first frame.
    async *frames() {
      await Promise.resolve();
      throw refused;
    },
  } as never);
  const { user } = await show();
  const form = await screen.findByRole('form', { name: 'Which tea?' });
  await user.click(within(form).getByText('Something else'));
  await user.type(within(form).getByPlaceholderText('In your own words'), 'White');
  fireEvent.submit(form);
  fireEvent.submit(form);
  expect((await within(form).findByRole('alert')).textContent).toBe('The balance is used up');
  expect(within(form).getByPlaceholderText<HTMLInputElement>('In your own words').value).toBe('White');
  expect(resume).toHaveBeenCalledTimes(1);

  const data = [
    { event: 'content-delta', delta: 'White it is.' },
    { event: 'response-completed', execution_time: 1, token_usage: {}, finishReason: 'completed' },
  ];
  resume.mockReturnValue({
    turnId: 'turn-1',
    requestId: 'r-1',
    async *frames() {
      await Promise.resolve();
      for (const [i, each] of data.entries())
        yield { method: 'custom:platform', seq: i + 1, params: { namespace: [], timestamp: i, data: each } };
    },
  } as never);
  fireEvent.submit(form);
  await screen.findByText('White it is.', { exact: false });
  expect(screen.queryByRole('form', { name: 'Which tea?' })).toBeNull();
  expect(screen.getByText('Which tea?').nextSibling?.textContent).toBe('White');
});

it('asks before another conversation takes the place of an answer that is being written', async () => {
  const asked = turn(1).map((message) => ({ ...message, turnStatus: 'INPUT_REQUIRED' }));
  messages.mockResolvedValue({ items: asked, nextCursor: null } as never);
  jest.spyOn(client.agents, 'pendingInteractions').mockResolvedValue([QUESTION]);
  const { user, router, go } = await show('/agents/a1/playground?session=first&panel=closed');
  const form = await screen.findByRole('form', { name: 'Which tea?' });
  await user.click(within(form).getByText('Something else'));
  await user.type(within(form).getByPlaceholderText('In your own words'), 'White');
  await go('/agents/a1/playground?session=first');
  expect(router.state.location.search).toBe('?session=first');
  await go('/agents/a1/playground?session=second');
  await user.click(await screen.findByRole('button', { name: 'Stay' }));
  expect(within(form).getByPlaceholderText<HTMLInputElement>('In your own words').value).toBe('White');
});

it('names files that cannot be read, such as folders, and attaches the others', async () => {
  await show();
  const bytes = { arrayBuffer: () => Promise.resolve(new TextEncoder().encode('notes').buffer) };
  const folder = { arrayBuffer: () => Promise.reject(new Error('A requested file could not be found')) };
  const files = [
    Object.assign(new File([], 'photos'), folder),
    Object.assign(new File(['notes'], 'notes.txt', { type: 'text/plain' }), bytes),
  ];
  fireEvent.drop(await input(), { dataTransfer: { types: ['Files'], files } });
  await screen.findByText('notes.txt');
  expect(screen.getByRole('alert').textContent).toMatch(/^Could not be read: photos\./);
  fireEvent.click(screen.getByRole('button', { name: 'Remove notes.txt' }));
});

const TEXT = [{ type: 'text' as const, text: 'Are you there?' }];
const send = async () => {
  await write('Are you there?');
  fireEvent.keyDown(await input(), { key: 'Enter' });
};
async function* silence(): AsyncGenerator<never> {
  yield await new Promise<never>(() => undefined);
}
async function* speech() {
  await Promise.resolve();
  const data = [
    { event: 'content-delta', delta: 'I am.' },
    { event: 'response-completed', execution_time: 1, token_usage: {}, finishReason: 'completed' },
  ];
  for (const [i, each] of data.entries())
    yield { method: 'custom:platform', seq: i + 1, params: { namespace: [], timestamp: i, data: each } };
}
const streamOf = (frames: () => AsyncGenerator) => ({ turnId: 'turn-9', requestId: 'r-1', frames }) as never;
/** What a reload leaves: the page begins anew. */
const reload = async () => {
  cleanup();
  return show();
};

it('sends a message again that was not answered before a reload, and only once', async () => {
  const sent = jest.spyOn(client.agents, 'chatStream').mockReturnValueOnce(streamOf(silence));
  sent.mockReturnValue(streamOf(speech));
  await show();
  await send();
  await screen.findByText('Are you there?');
  await reload();
  await screen.findByText('I am.');
  expect(sent.mock.calls.map(([, request]) => request)).toEqual([
    { session_id: 'first', contents: TEXT },
    { session_id: 'first', contents: TEXT, turnId: 'turn-9' },
  ]);
  await reload();
  await screen.findByText('user 1');
  expect(sent).toHaveBeenCalledTimes(2);
});

it('reads the answer to a message that had arrived before a reload', async () => {
  const running = { status: 409, code: 'CONFLICT', message: 'Turn turn-9 is already running' } as const;
  const conflict = new PlatformError({ ...running, requestId: null, turnId: null, retryAfter: null });
  const refused = async function* () {
    yield await Promise.reject(conflict);
  };
  const sent = jest.spyOn(client.agents, 'chatStream').mockReturnValueOnce(streamOf(silence));
  sent.mockReturnValue(streamOf(refused));
  const segments = [{ segment: 1, origin: 'start', lastSeq: 2, ended: false }];
  jest.spyOn(client.agents, 'turn').mockResolvedValue({ segments, error: null } as never);
  jest.spyOn(client.agents, 'attachTurn').mockReturnValue(streamOf(speech));
  await show();
  await send();
  await reload();
  await screen.findByText('I am.');
});

it('shows a message again that was refused, and leaves it to the user to repeat it', async () => {
  const empty = { status: 402, code: 'INSUFFICIENT_TOKENS', message: 'The balance is used up' } as const;
  const error = new PlatformError({ ...empty, requestId: null, turnId: null, retryAfter: null });
  const refused = async function* () {
    yield await Promise.reject(error);
  };
  const sent = jest.spyOn(client.agents, 'chatStream').mockReturnValue(streamOf(refused));
  await show();
  await send();
  await screen.findByText('The balance is used up');
  await reload();
  await screen.findByText('Are you there?');
  await screen.findByText('The balance is used up');
  expect(sent).toHaveBeenCalledTimes(1);
});

it('does not repeat an execution by itself that was not answered before a reload', async () => {
  const call = { kind: 'execute' as const, request: { inputs: { query: 'Are you there?' } } };
  const unsent = { ...createLiveTurn('unnamed:1', TEXT), call };
  keepText('unsent.u1.s1.a1.first', JSON.stringify(unsent));
  const sent = jest.spyOn(client.agents, 'executeStream').mockReturnValue(streamOf(speech));
  const { user } = await show();
  await screen.findByText('The page was left before the service answered.');
  expect(sent).not.toHaveBeenCalled();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByText('I am.');
  expect(sent).toHaveBeenCalledWith('a1', call.request, expect.anything());
});

it('sends a message also if the page is left before it is answered', async () => {
  const line = Promise.withResolvers<null>();
  const late = async function* () {
    await line.promise;
    yield* speech();
  };
  const sent = jest.spyOn(client.agents, 'chatStream').mockReturnValue(streamOf(late));
  const { go } = await show();
  queryClient.setQueryData(keys.sessions('a1'), { pages: [], pageParams: [] });
  await send();
  await go('/elsewhere');
  const signal = sent.mock.calls[0]?.[2]?.signal;
  expect(signal?.aborted).toBe(false);
  line.resolve(null);
  await waitFor(() => expect(signal?.aborted).toBe(true));
  expect(queryClient.getQueryState(keys.sessions('a1'))?.isInvalidated).toBe(true);
  await go('/agents/a1/playground?session=first');
  await screen.findByText('user 1');
  expect(sent).toHaveBeenCalledTimes(1);
});

it('sends nothing of a user who has signed out', async () => {
  const sent = jest.spyOn(client.agents, 'chatStream').mockReturnValue(streamOf(silence));
  const { go } = await show();
  await send();
  await go('/elsewhere');
  act(() => setSession(null));
  expect(sent.mock.calls[0]?.[2]?.signal?.aborted).toBe(true);
});
