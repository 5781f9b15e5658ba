import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { GivenJobInput, Job } from '@platform/contracts';
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, configure, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { App } from 'antd';
import { MemoryRouter } from 'react-router';
import { queryClient } from '../../api.ts';
import { loadPlaygroundTexts, startI18n } from '../../i18n.ts';
import { JobDrawer } from './job-drawer.tsx';

// A busy machine may take seconds to draw a dialog.
configure({ asyncUtilTimeout: 20_000 });
const JOB: Job = {
  id: 'j-1',
  type: 'AGENT_INVOKE',
  agentId: 'a-1',
  status: 'QUEUED',
  phase: 'queued',
  progress: 0,
  sessionId: 's-1',
  turnId: 't-1',
  createdAt: '2026-01-01T00:00:00.000Z',
  startedAt: null,
  finishedAt: null,
};

/** Responses of the service, in order, and the requests that it has received. */
let answers: (() => Promise<Response>)[];
let asked: Request[];
/** What the job was given, which is asked for once. */
let input: GivenJobInput | null;

function tells(version: string, fields: Partial<Job> = {}): () => Promise<Response> {
  const init = { headers: { ETag: version, 'Content-Type': 'application/json' } };
  return () => Promise.resolve(new Response(JSON.stringify({ ...JOB, ...fields }), init));
}

const hangs = () => new Promise<Response>(() => undefined);

const unchanged = () => Promise.resolve(new Response(null, { status: 304 }));

beforeEach(async () => {
  await startI18n();
  await loadPlaygroundTexts();
  answers = [];
  asked = [];
  input = { contents: [{ type: 'text', text: 'Tell me of a *river*.' }], variables: {}, isShortened: false };
  jest.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
    if (typeof url !== 'string') throw new Error('The client must pass URLs as strings');
    if (url.includes('include=input')) return tells('"input"', { input })();
    asked.push(new Request(new URL(url, 'http://localhost'), init));
    const next = answers.shift();
    // No further responses: the request waits.
    return next ? next() : hangs();
  });
});

afterEach(() => {
  cleanup();
  queryClient.clear();
  jest.restoreAllMocks();
});

const show = () =>
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <App>
          <JobDrawer jobId="j-1" agentName={() => 'Poet'} onClose={() => undefined} />
        </App>
      </MemoryRouter>
    </QueryClientProvider>,
  );

describe('JobDrawer', () => {
  it('follows the versions of the job until it has ended', async () => {
    answers = [
      tells('"1"'),
      unchanged,
      tells('"2"', { status: 'RUNNING', phase: 'answering', progress: 40 }),
      tells('"3"', {
        status: 'COMPLETED',
        phase: 'finished',
        progress: 100,
        startedAt: '2026-01-01T00:00:01.000Z',
        finishedAt: '2026-01-01T00:00:03.500Z',
        result: {
          answer: 'A river runs.',
          agent_id: 'a-1',
          execution_time: 2.5,
          token_usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13, cost: 0 },
        },
      }),
    ];
    show();
    await screen.findByText('Queued', { selector: '.badge' });
    await screen.findByText('Running', { selector: '.badge' });
    await screen.findByText('Completed', { selector: '.badge' });
    await screen.findByText('A river runs.');
    screen.getByText('Took 2.50 s', { exact: false });
    expect(asked.map(({ headers }) => headers.get('If-None-Match'))).toEqual([null, '"1"', '"1"', '"2"']);
    expect(new Set(asked.map(({ url }) => url))).toEqual(
      new Set(['http://localhost/api/agent-jobs/j-1?waitMs=20000']),
    );
    // What has ended is asked about no more, and cannot be stopped.
    expect(screen.queryByRole('button', { name: 'Stop job' })).toBeNull();
  });

  it('shows what the job was given: the message as it was written, files, and inputs', async () => {
    input = {
      contents: [
        { type: 'text', text: 'Tell me of a *river*.\nBe brief.' },
        { type: 'file', file_info: { name: 'map.txt', url: 'https://example.com/map.txt' } },
      ],
      variables: { language: 'French' },
      isShortened: true,
    };
    answers = [tells('"1"'), tells('"2"', { status: 'COMPLETED', phase: 'finished', progress: 100 })];
    show();
    const message = await screen.findByRole('region', { name: 'Message' });
    await within(message).findByText(/Tell me of a \*river\*\.\s+Be brief\./);
    within(message).getByText('map.txt');
    expect(within(message).getByRole('group', { name: 'Inputs' }).textContent).toContain('French');
    within(message).getByText(/Only the first 64 KB are shown/);
    await screen.findByText('Completed', { selector: '.badge' });
  });

  it('says that the message was deleted', async () => {
    input = null;
    answers = [tells('"1"', { status: 'COMPLETED', phase: 'finished' })];
    show();
    await screen.findByText('The message was deleted.');
  });

  it('shows why a job failed', async () => {
    answers = [
      tells('"1"', {
        status: 'FAILED',
        phase: 'finished',
        error: { code: 'UNAVAILABLE', message: 'No model' },
      }),
    ];
    show();
    await screen.findByText('UNAVAILABLE');
    await screen.findByText('No model');
  });

  it('keeps following a job that waits for input', async () => {
    answers = [
      tells('"1"', { status: 'INPUT_REQUIRED', phase: 'waiting-for-input', progress: 50 }),
      tells('"2"', { status: 'CANCELLED', phase: 'finished', progress: 50 }),
    ];
    show();
    await screen.findByText('Canceled', { selector: '.badge' });
    expect(asked).toHaveLength(2);
  });

  it('asks for confirmation before it stops a job', async () => {
    const running = { status: 'RUNNING', phase: 'thinking', progress: 20 } as const;
    const canceled = { status: 'CANCELLED', phase: 'finished', progress: 20 } as const;
    // The question that waits is given up for the cancel, and asked again.
    answers = [tells('"1"', running), hangs, tells('"2"', canceled), tells('"2"', canceled)];
    const user = userEvent.setup();
    show();
    await user.click(await screen.findByRole('button', { name: 'Stop job' }));
    await screen.findAllByText('Stop this job?');
    expect(asked.filter(({ method }) => method === 'POST')).toEqual([]);
    const [, confirmation] = screen.getAllByRole('button', { name: 'Stop job' });
    if (confirmation === undefined) throw new Error('There is nothing to confirm by');
    await user.click(confirmation);
    await screen.findByText('Canceled', { selector: '.badge' });
    expect(asked.filter(({ method }) => method === 'POST').map(({ url }) => url)).toEqual([
      'http://localhost/api/agent-jobs/j-1/cancel',
    ]);
  });
});
