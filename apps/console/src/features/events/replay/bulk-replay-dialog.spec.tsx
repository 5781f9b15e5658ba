import { afterEach, expect, it, jest } from '@jest/globals';
import type { ReplayPreview } from '@platform/contracts';
import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { client } from '../../../api.ts';
import { renderInApp } from '../../../../test/render.tsx';
import { BulkReplayDialog } from './bulk-replay-dialog.tsx';

afterEach(cleanup);

it('asks before a changed form is closed, and not before an untouched one', async () => {
  jest.spyOn(client.events, 'catalog').mockResolvedValue([]);
  const close = jest.fn();
  await renderInApp(
    <BulkReplayDialog replayId={null} filters={{}} onStarted={() => undefined} onClose={close} />,
  );
  fireEvent.click(screen.getAllByLabelText('Close')[0] as HTMLElement);
  expect(close).toHaveBeenCalledTimes(1);

  fireEvent.change(screen.getByLabelText('From'), { target: { value: '2026-01-02T03:04' } });
  fireEvent.click(screen.getAllByLabelText('Close')[0] as HTMLElement);
  fireEvent.click(await screen.findByText('Stay'));
  expect(close).toHaveBeenCalledTimes(1);
});

it.each([
  [{ outcome: 'FAILED' as const }, { only: 'FAILED_DELIVERIES' }],
  [{}, {}],
])('starts with the failed deliveries if the log shows those: %j', async (filters, limit) => {
  jest.spyOn(client.events, 'catalog').mockResolvedValue([]);
  const preview = jest
    .spyOn(client.events, 'previewBulkReplay')
    .mockResolvedValue({ count: 1, limit: 2_000, isLimited: false, runningId: null });
  const user = await renderInApp(
    <BulkReplayDialog
      replayId={null}
      filters={filters}
      onStarted={() => undefined}
      onClose={() => undefined}
    />,
  );
  await user.click(screen.getByRole('button', { name: 'Count events' }));
  await screen.findByText('1 event will be replayed');
  const time = expect.any(String);
  expect(preview.mock.calls.at(-1)?.[0]).toEqual({ ...limit, from: time, to: time });
});

it('counts again if the form has changed while it was counted', async () => {
  jest.spyOn(client.events, 'catalog').mockResolvedValue([]);
  const counted = Promise.withResolvers<ReplayPreview>();
  jest.spyOn(client.events, 'previewBulkReplay').mockReturnValue(counted.promise as never);
  const user = await renderInApp(
    <BulkReplayDialog replayId={null} filters={{}} onStarted={() => undefined} onClose={() => undefined} />,
  );
  await user.click(screen.getByRole('button', { name: 'Count events' }));
  fireEvent.change(screen.getByLabelText('From'), { target: { value: '2026-01-02T03:04' } });
  await act(async () => counted.resolve({ count: 1, limit: 2_000, isLimited: false, runningId: null }));
  expect(screen.queryByText('1 event will be replayed')).toBeNull();
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Start replay' }).disabled).toBe(true);
});
