import { afterEach, expect, it, jest } from '@jest/globals';
import type { EnvelopeDetail } from '@platform/contracts';
import { cleanup, screen, waitFor } from '@testing-library/react';
import { renderInApp } from '../../../../test/render.tsx';
import { client } from '../../../api.ts';
import { EnvelopePayload } from './envelope-payload.tsx';

afterEach(cleanup);

const envelope = {
  id: 'e-1',
  status: 'DISPATCHED',
  payload: { email: 'ada@example.com' },
  erasure: null,
} as Partial<EnvelopeDetail> as EnvelopeDetail;

const show = (fields: Partial<EnvelopeDetail> = {}) =>
  renderInApp(<EnvelopePayload envelope={{ ...envelope, ...fields }} nameOf={(id) => `User ${id}`} />);

it('erases the payload after it has said what happens', async () => {
  const erase = jest.spyOn(client.events, 'erasePayload').mockResolvedValue(envelope);
  const user = await show();
  await user.click(screen.getByRole('button', { name: 'Erase payload' }));
  await screen.findByText(/cannot be undone/);
  screen.getByText(/inputs, outputs, and logs of its runs/);
  expect(erase).not.toHaveBeenCalled();
  await user.click(screen.getByRole('button', { name: 'Erase' }));
  await waitFor(() => expect(erase).toHaveBeenCalledWith('e-1'));
});

it('shows who erased it, when, and its hash', async () => {
  const erasure = { erasedAt: '2026-03-04T05:06:07.000Z', erasedBy: 'u-1', sha256: 'ab12', bytes: 1_234 };
  await show({ payload: {}, erasure });
  screen.getByText(/^Erased on Mar 4, 2026.* by User u-1\.$/);
  screen.getByText(/It had 1,234 bytes/);
  screen.getByText('ab12');
  expect(screen.queryByRole('button')).toBeNull();
});

it('cannot be erased while the event is not dispatched', async () => {
  await show({ status: 'PENDING' });
  expect(screen.getByRole('button', { name: 'Erase payload' })).toHaveProperty('disabled', true);
});
