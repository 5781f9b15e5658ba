import { expect, it, jest } from '@jest/globals';
import type { Task } from '@platform/contracts';
import { fireEvent, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client } from '../../api.ts';
import { RunDialog } from './run-dialog.tsx';

it('sends no integer that would become another one', async () => {
  const run = jest.spyOn(client.tasks, 'run').mockResolvedValue({ id: 'r' } as never);
  const task = { id: 't', name: 'Refund', type: 'MANUAL' } as Task;
  const user = await renderInApp(
    <MemoryRouter>
      <RunDialog task={task} onClose={jest.fn()} />
    </MemoryRouter>,
  );
  const inputs = await screen.findByLabelText('Inputs');
  fireEvent.change(inputs, { target: { value: '{"orderId": 9007199254740993}' } });
  await user.click(screen.getByRole('button', { name: 'Run now' }));
  await screen.findByText(/^orderId is an integer that a number cannot hold exactly/);
  expect(run).not.toHaveBeenCalled();
});
