import { beforeAll, expect, it, jest } from '@jest/globals';
import type { SpaceStorage } from '@platform/contracts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { renderInApp } from '../../../test/render.tsx';
import { client } from '../../api.ts';
import { loadSpaceTexts } from '../../i18n.ts';
import { Storage } from './storage.tsx';

beforeAll(loadSpaceTexts);

const measuredAt = '2026-01-01T00:00:00.000Z';
const stored: SpaceStorage = {
  items: [
    {
      kind: 'EVENTS',
      bytes: 2_500_000,
      count: 1_200,
      quotaBytes: 2_000_000,
      isLimitable: true,
      measuredAt,
      tables: [{ applicationIdentifier: 'shop', name: 'order.created', count: 1_200, bytes: 2_500_000 }],
    },
    { kind: 'ROWS', bytes: 70, count: 1, quotaBytes: null, isLimitable: true, measuredAt, tables: [] },
  ],
};

it('shows bytes and quotas, and changes quotas in megabytes', async () => {
  jest.spyOn(client.usage, 'storage').mockResolvedValue(stored);
  const set = jest.spyOn(client.usage, 'setStorageQuotas').mockResolvedValue(stored);
  const user = await renderInApp(<Storage />);
  const events = within(await screen.findByRole('region', { name: 'Events' }));
  expect(events.getByText('2.5 MB of 2 MB').className).toContain('danger-text');
  events.getByText('shop / order.created');
  const rows = within(screen.getByRole('region', { name: 'Data rows' }));
  rows.getByText('70 bytes');
  rows.getByText(/1 entry · no quota/);

  await user.click(screen.getByRole('button', { name: 'Set quotas' }));
  const field = await screen.findByLabelText('Events', { selector: 'input' });
  expect(field).toHaveProperty('value', '2');
  // Typing would be interrupted when the dialog has opened and moves the focus.
  fireEvent.change(field, { target: { value: '' } });
  const rowField = screen.getByLabelText('Data rows', { selector: 'input' });
  fireEvent.change(rowField, { target: { value: '1.5' } });
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(set).toHaveBeenCalledWith({ eventBytes: null, rowBytes: 1_500_000 }));
});
