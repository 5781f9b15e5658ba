import { expect, it, jest } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { renderInApp } from '../../../test/render.tsx';
import { client } from '../../api.ts';
import { useTaskName } from './task-names.ts';

function Names({ ids }: { ids: string[] }) {
  const nameOf = useTaskName();
  return ids.map((taskId) => <p key={taskId}>{nameOf({ taskId })}</p>);
}

it('says that a task was deleted only once it is known', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const list = jest.spyOn(client.tasks, 'list').mockReturnValue(promise as never);
  await renderInApp(<Names ids={['a', 'b']} />);
  await waitFor(() => expect(list).toHaveBeenCalledWith({ ids: ['a', 'b'] }));
  expect(screen.getAllByText('…')).toHaveLength(2);
  resolve({ items: [{ id: 'a', name: 'Ship' }], nextCursor: null });
  await screen.findByText('Ship');
  screen.getByText('Deleted task');
});
