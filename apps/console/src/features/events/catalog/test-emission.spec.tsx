import { afterEach, expect, it, jest } from '@jest/globals';
import type { CatalogEvent } from '@platform/contracts';
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { renderInApp } from '../../../../test/render.tsx';
import { client } from '../../../api.ts';
import { TestEmission } from './test-emission.tsx';

afterEach(cleanup);

const EVENT = { name: 'order.created', description: '', payloadSchema: {} } as CatalogEvent;

it('asks before a payload that was not emitted is lost', async () => {
  const emit = jest
    .spyOn(client.events, 'emitTest')
    .mockResolvedValue({ envelopeId: 'e-1', status: 'PENDING' } as never);
  jest.spyOn(client.events, 'envelope').mockReturnValue(new Promise(() => undefined) as never);
  const close = jest.fn();
  const user = await renderInApp(
    <MemoryRouter>
      <TestEmission applicationIdentifier="shop" event={EVENT} onClose={close} />
    </MemoryRouter>,
  );
  const cross = () => fireEvent.click(screen.getAllByLabelText('Close')[0] as HTMLElement);
  cross();
  expect(close).toHaveBeenCalledTimes(1);

  fireEvent.change(await screen.findByLabelText('Payload'), { target: { value: '{"total": 5}' } });
  cross();
  await user.click(await screen.findByText('Stay'));
  expect(close).toHaveBeenCalledTimes(1);

  await user.click(screen.getByRole('button', { name: 'Emit event' }));
  await waitFor(() => expect(emit).toHaveBeenCalledWith('shop', 'order.created', { payload: { total: 5 } }));
  await screen.findByText('Recorded', { exact: false });
  cross();
  expect(close).toHaveBeenCalledTimes(2);
});

it('sends no integer that would become another one', async () => {
  const emit = jest.spyOn(client.events, 'emitTest').mockResolvedValue({} as never);
  emit.mockClear();
  await renderInApp(<TestEmission applicationIdentifier="shop" event={EVENT} onClose={jest.fn()} />);
  const payload = await screen.findByLabelText('Payload');
  fireEvent.change(payload, { target: { value: '{"orderId": 9007199254740993}' } });
  expect(screen.getByRole('status').textContent).toBe(
    'orderId is an integer that a number cannot hold exactly: it would become 9007199254740992. ' +
      'Enter it as text, in quotation marks.',
  );
  fireEvent.click(screen.getByRole('button', { name: 'Emit event' }));
  expect(emit).not.toHaveBeenCalled();
});
