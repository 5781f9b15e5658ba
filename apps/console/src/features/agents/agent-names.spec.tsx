import { expect, it, jest } from '@jest/globals';
import { screen } from '@testing-library/react';
import { renderInApp } from '../../../test/render.tsx';
import { client } from '../../api.ts';
import { useAgentName } from './agent-names.ts';

function Names({ ids }: { ids: string[] }) {
  const nameOf = useAgentName();
  return ids.map((agentId) => <p key={agentId}>{nameOf({ agentId })}</p>);
}

it('loads the names that are shown, together, and nothing else', async () => {
  const list = jest.spyOn(client.agents, 'list').mockImplementation((query) => {
    const items = (query?.ids ?? []).filter((id) => id !== 'c').map((id) => ({ id, name: `Agent ${id}` }));
    return Promise.resolve({ items, nextCursor: null }) as never;
  });
  await renderInApp(<Names ids={['b', 'a', 'c', 'a2']} />);
  await screen.findByText('Agent a');
  screen.getByText('Agent b');
  screen.getByText('Deleted agent');
  expect(list.mock.calls).toEqual([[{ ids: ['a', 'a2', 'b', 'c'] }]]);
});
