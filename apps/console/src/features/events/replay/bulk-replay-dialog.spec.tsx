import { expect, it, jest } from '@jest/globals';
import { fireEvent, screen } from '@testing-library/react';
import { client } from '../../../api.ts';
import { renderInApp } from '../../../../test/render.tsx';
import { BulkReplayDialog } from './bulk-replay-dialog.tsx';

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
