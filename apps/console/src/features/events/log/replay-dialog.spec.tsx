import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { EnvelopeDetail } from '@platform/contracts';
import { cleanup, screen } from '@testing-library/react';
import { client } from '../../../api.ts';
import { renderInApp } from '../../../../test/render.tsx';
import { ReplayDialog } from './replay-dialog.tsx';

afterEach(cleanup);

const verdict = (n: number) => ({
  subscriptionId: `s-${n}`,
  taskId: `t-${n}`,
  outcome: 'MATCHED',
  reason: null,
});

async function open(deliveries: Partial<EnvelopeDetail['deliveries']>) {
  const tasks = [1, 2].map((n) => ({ id: `t-${n}`, name: `Task ${n}` }));
  jest.spyOn(client.tasks, 'list').mockResolvedValue({ items: tasks, nextCursor: null } as never);
  const replay = jest.spyOn(client.events, 'replay').mockResolvedValue({ envelopeId: 'e', generation: 1 });
  const envelope = {
    id: 'e',
    deliveries: { succeeded: 0, failed: 0, missed: 0, cancelled: 0, waiting: 0, ...deliveries },
    generations: [{ generation: 0, verdicts: [verdict(1), verdict(2)], runs: [] }],
  } as unknown as EnvelopeDetail;
  const user = await renderInApp(<ReplayDialog envelope={envelope} onClose={() => undefined} />);
  const send = async () => {
    await user.click(screen.getByRole('button', { name: 'Replay' }));
    const { requestKey, ...limit } = replay.mock.calls.at(-1)?.[1] ?? {};
    return { requestKey, limit };
  };
  return { user, send };
}

describe('the dialog of a replay', () => {
  it('suggests the failed deliveries if others succeeded', async () => {
    const { send } = await open({ succeeded: 1, failed: 1, missed: 1 });
    screen.getByRole('radio', { name: 'Only those whose delivery failed (2)', checked: true });
    const { limit, requestKey } = await send();
    expect(limit).toEqual({ only: 'FAILED_DELIVERIES' });
    expect(requestKey).toMatch(/^console-/);
  });

  it('suggests all if none or all have failed', async () => {
    const { send } = await open({ failed: 2 });
    screen.getByRole('radio', { name: 'All that match', checked: true });
    expect((await send()).limit).toEqual({});
    cleanup();
    await open({ succeeded: 2 });
    expect(
      screen.getByRole<HTMLInputElement>('radio', { name: 'Only those whose delivery failed (0)' }).disabled,
    ).toBe(true);
  });

  it('replays to chosen subscriptions, by the names of their tasks', async () => {
    const { user, send } = await open({ succeeded: 2 });
    await user.click(screen.getByRole('radio', { name: 'Only these' }));
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Replay' }).disabled).toBe(true);
    await user.click(await screen.findByRole('checkbox', { name: 'Task 2' }));
    const first = await send();
    expect(first.limit).toEqual({ subscriptionIds: ['s-2'] });
    // Repeated, it is the same request; with another choice it is not.
    expect((await send()).requestKey).toBe(first.requestKey);
    await user.click(screen.getByRole('checkbox', { name: 'Task 1' }));
    expect((await send()).requestKey).not.toBe(first.requestKey);
  });
});
