import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { WebhookDeliveryDetail } from '@platform/contracts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, screen, within } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client, keys } from '../../api.ts';
import { loadSpaceTexts, startI18n } from '../../i18n.ts';
import { WebhookDrawer } from './webhook-drawer.tsx';

const AT = '2026-01-01T00:00:00.000Z';
const ADA = { id: 'u-1', email: 'ada@example.com', name: 'Ada' };
const DELIVERY: WebhookDeliveryDetail = {
  id: 'd-1',
  spaceId: 's-1',
  jobId: 'j-1',
  user: ADA,
  type: 'agent-job.completed',
  url: 'https://shop.example.com/hooks?token=***',
  status: 'FAILED',
  attempts: 8,
  dueAt: null,
  lastError: 'No response',
  createdAt: AT,
  endedAt: AT,
  request: {
    method: 'POST',
    url: 'https://shop.example.com/hooks?token=***',
    headers: { 'webhook-id': 'd-1' },
    body: '{"type":"agent-job.completed"…',
    bodyBytes: 40_000,
  },
  lastAttempts: [
    { attempt: 8, at: AT, durationMs: 15_001, outcome: 'NO_RESPONSE', response: null, error: 'x' },
    { attempt: 7, at: AT, durationMs: null, outcome: 'INTERRUPTED', response: null, error: 'x' },
    {
      attempt: 6,
      at: AT,
      durationMs: 12,
      outcome: 'REFUSED',
      response: { status: 500, body: '<b>Boom</b>' },
      error: 'x',
    },
    {
      attempt: 5,
      at: AT,
      durationMs: 9,
      outcome: 'REFUSED',
      response: { status: 502, body: '' },
      error: 'x',
    },
  ],
};

beforeEach(async () => {
  await startI18n();
  await loadSpaceTexts();
});
afterEach(cleanup);

async function show(change: Partial<WebhookDeliveryDetail> = {}) {
  const response = Promise.resolve({ ...DELIVERY, ...change }) as never;
  jest.spyOn(client.webhooks, 'getDelivery').mockReturnValue(response);
  const queries = new QueryClient();
  queries.setQueryData(keys.session, { user: ADA, space: { id: 's-1', name: 'S', role: 'ADMIN' } });
  const user = await renderInApp(
    <QueryClientProvider client={queries}>
      <MemoryRouter>
        <WebhookDrawer deliveryId="d-1" onClose={() => undefined} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  const attempts = within(await screen.findByRole('region', { name: 'Attempts' })).queryAllByRole('listitem');
  return { user, attempts: attempts.map(({ textContent }) => textContent) };
}

describe('a delivery of a webhook', () => {
  it('shows the request and each attempt as text, and is sent again as often as it was attempted', async () => {
    const { user, attempts } = await show();
    expect(attempts).toEqual([
      expect.stringMatching(/^No responseAttempt 8.* · 15 secThe server could not be reached, or did not/),
      expect.stringMatching(/^InterruptedAttempt 7.*The server may have received the message\.$/),
      expect.stringMatching(/^HTTP 500Attempt 6.* · 12 msOnly 2xx accepts.*Response<b>Boom<\/b>$/),
      expect.stringMatching(/^HTTP 502Attempt 5.*The response was empty\.$/),
    ]);
    expect(screen.getByLabelText('Request').textContent).toBe(
      'POST https://shop.example.com/hooks?token=***\nwebhook-id: d-1\n\n{"type":"agent-job.completed"…',
    );
    expect(screen.getByText(/40 kB in total/)).toBeTruthy();
    expect(screen.getByRole('link', { name: 'j-1' }).getAttribute('href')).toBe('/jobs?job=j-1');
    const retry = jest.spyOn(client.webhooks, 'retry').mockReturnValue(Promise.resolve(DELIVERY) as never);
    await user.click(screen.getByRole('button', { name: 'Send again' }));
    expect(retry).toHaveBeenCalledWith('d-1', { attempts: 8 });
  });

  it('says that the message of another person is not shown, and offers nothing for what was delivered', async () => {
    const request = { ...DELIVERY.request, body: null };
    const { attempts } = await show({
      user: { ...ADA, id: 'u-2', name: 'Grace' },
      status: 'DELIVERED',
      request,
      lastAttempts: [
        {
          attempt: 1,
          at: AT,
          durationMs: 9,
          outcome: 'ACCEPTED',
          response: { status: 202, body: null },
          error: null,
        },
      ],
    });
    expect(attempts).toEqual([expect.stringContaining('HTTP 202')]);
    expect(screen.queryByText('The response was empty.')).toBeNull();
    expect(screen.getByText(/Only the person who started the job can read the message/)).toBeTruthy();
    expect(screen.queryByRole('link', { name: 'j-1' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'Send again' })).toBeNull();
  });

  it('says that a message is no longer kept', async () => {
    await show({ request: { ...DELIVERY.request, body: null, bodyBytes: null }, lastAttempts: [] });
    expect(screen.getByText(/removed after a week/)).toBeTruthy();
    expect(screen.getByText('It was not sent yet.')).toBeTruthy();
  });
});
