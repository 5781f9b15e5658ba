import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ApiPromise } from '@platform/client';
import type { Member, MemberRemoval } from '@platform/contracts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, screen, waitFor } from '@testing-library/react';
import { client, keys } from '../../api.ts';
import { loadSpaceTexts } from '../../i18n.ts';
import { renderInApp } from '../../../test/render.tsx';
import { RoleField } from './member-rights.tsx';
import { RemoveMemberDialog } from './remove-member-dialog.tsx';

beforeAll(loadSpaceTexts);

afterEach(cleanup);

const NONE = { count: 0, names: [] };
const REMOVAL: MemberRemoval = {
  tasks: { count: 12, names: ['Ship', 'Bill'] },
  schedules: { count: 1, names: ['Bill'] },
  subscriptions: { count: 2, names: ['order.created', 'order.paid'] },
  apiKeys: { count: 1, names: ['laptop'] },
  connections: { count: 1, names: ['GitHub'] },
  clients: { count: 2, names: ['Editor', 'Editor'] },
  agents: NONE,
  adminTasks: { count: 1, names: ['Ship'] },
  refused: [],
};
const REASON = 'workflow.steps.0.kind must not be emit: the owner of the task is not an admin';

const member = (id: string, name: string): Member => ({
  user: { id, name, email: `${id}@example.com` },
  role: 'ADMIN',
  installationAdmin: false,
  createdAt: '2026-01-01T00:00:00.000Z',
});
const leaving = member('u-1', 'Ada');

function toResult<T>(data: T): ApiPromise<T> {
  return new ApiPromise(Promise.resolve({ data, response: new Response(), requestId: null }));
}

async function open(removal = REMOVAL) {
  const people = [leaving, member('u-2', 'Grace'), member('u-3', 'Linus')];
  jest.spyOn(client.members, 'list').mockResolvedValue({ items: people, nextCursor: null });
  jest
    .spyOn(client.members, 'previewRemoval')
    .mockImplementation((_, query) =>
      toResult(
        query?.transferTo === 'u-3'
          ? { ...removal, refused: [{ taskId: 't', name: 'Ship', reason: REASON }] }
          : removal,
      ),
    );
  const remove = jest.spyOn(client.members, 'remove').mockResolvedValue(undefined);
  const queries = new QueryClient();
  queries.setQueryData(keys.session, {
    user: people[1]?.user,
    space: { id: 's', name: 'Shop', role: 'ADMIN' },
  });
  const user = await renderInApp(
    <QueryClientProvider client={queries}>
      <RemoveMemberDialog member={leaving} onClose={() => undefined} />
    </QueryClientProvider>,
  );
  const give = async (name: RegExp) => {
    await user.click(await screen.findByRole('combobox', { name: 'Transfer tasks to' }));
    await user.click(await screen.findByTitle(name));
  };
  return { user, remove, give };
}

describe('the removal of a member', () => {
  it('shows what stops, and removes without a transfer', async () => {
    const { user, remove } = await open();
    await screen.findByText('These stop');
    screen.getByText('Tasks (12)');
    screen.getByText('Ship, Bill, and 10 more');
    screen.getByText('API keys (1)');
    screen.getByText('Connections (1)');
    screen.getByText('GitHub');
    screen.getByText('MCP clients (2)');
    await user.click(screen.getByRole('button', { name: 'Remove' }));
    expect(remove).toHaveBeenLastCalledWith('u-1', {});
  });

  it('transfers the tasks, which then go on', async () => {
    const { user, remove, give } = await open();
    await give(/Grace/);
    await screen.findByText('These go on');
    screen.getByText('Connections (1)');
    await user.click(screen.getByRole('button', { name: 'Remove' }));
    await waitFor(() => expect(remove).toHaveBeenLastCalledWith('u-1', { transferTo: 'u-2' }));
  });

  it('says which tasks a person cannot take over, and removes nobody', async () => {
    const { give } = await open();
    await give(/Linus/);
    await screen.findByText('Linus cannot take over these tasks. Give them to somebody else first.');
    screen.getByText(new RegExp(REASON));
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Remove' }).disabled).toBe(true);
  });

  it('offers no transfer of nothing', async () => {
    const nothing = { tasks: NONE, schedules: NONE, subscriptions: NONE };
    await open({ ...REMOVAL, ...nothing, apiKeys: NONE, connections: NONE, clients: NONE });
    await waitFor(() =>
      expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Remove' }).disabled).toBe(false),
    );
    expect(screen.queryByRole('combobox')).toBeNull();
  });
});

it('asks before a lower role makes tasks fail', async () => {
  jest.spyOn(client.members, 'previewRemoval').mockResolvedValue(REMOVAL);
  const update = jest.spyOn(client.members, 'update').mockResolvedValue(leaving);
  const user = await renderInApp(<RoleField member={leaving} fixed={false} />);
  await user.selectOptions(screen.getByRole('combobox'), 'MEMBER');
  await screen.findByText('These tasks have steps that need an admin, and would fail: Ship');
  expect(update).not.toHaveBeenCalled();
  await user.click(screen.getByRole('button', { name: 'Change role' }));
  await waitFor(() => expect(update).toHaveBeenCalledWith('u-1', { role: 'MEMBER' }));
});
