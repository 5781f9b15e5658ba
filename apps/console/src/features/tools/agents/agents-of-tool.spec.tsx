import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ApiPromise, PlatformError } from '@platform/client';
import type {
  Agent,
  AgentListing,
  AgentTool,
  Page,
  ToolMethod,
  UpdateAgentRequest,
} from '@platform/contracts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { renderInApp } from '../../../../test/render.tsx';
import { client, keys } from '../../../api.ts';
import { AddToAgent } from './add-to-agent.tsx';
import { UsedBy } from './used-by.tsx';

afterEach(() => {
  cleanup();
  jest.restoreAllMocks();
});

const TOOL = {
  id: 'T-1',
  name: 'parcels',
  methods: ['send', 'track'].map((name) => ({ name }) as ToolMethod),
};

function agent(name: string, tools: AgentTool[] = [], more: Partial<Agent> = {}): Agent {
  const shown = { accessScope: 'SPACE', accessible: true, version: 1, systemPrompt: 'Be kind.' } as const;
  return { id: `a-${name}`, name, ...shown, tools, ...more } as Agent;
}

const FOREIGN: AgentListing = {
  id: 'a-x',
  name: 'Foreign',
  description: '',
  accessScope: 'SPACE',
  accessible: true,
};

function answer<T>(decide: () => T): ApiPromise<T> {
  return new ApiPromise(
    Promise.resolve().then(() => ({ data: decide(), response: new Response(), requestId: null })),
  );
}

/** A service with agents. `meanwhile` happens after an agent was read. */
async function setUp(agents: (Agent | AgentListing)[], role: 'ADMIN' | 'MEMBER' = 'ADMIN') {
  const service: { agents: (Agent | AgentListing)[]; meanwhile: (() => void)[] } = { agents, meanwhile: [] };
  const find = (id: string) => {
    const found = service.agents.find((one) => one.id === id);
    if (found === undefined) throw new Error(`${id} is not there`);
    return found;
  };
  const replace = (next: Agent | AgentListing) => {
    service.agents = service.agents.map((one) => (one.id === next.id ? next : one));
    return next;
  };
  const list = jest.spyOn(client.agents, 'list').mockImplementation(((query: {
    toolId?: string;
    ownedOnly?: boolean;
  }) =>
    Promise.resolve<Page<Agent | AgentListing>>({
      items: service.agents.filter(
        (one) =>
          (query.ownedOnly !== true || 'tools' in one) &&
          (query.toolId === undefined ||
            ('tools' in one && one.tools.some(({ toolId }) => toolId === query.toolId))),
      ),
      nextCursor: null,
    })) as never);
  jest.spyOn(client.agents, 'get').mockImplementation((id) => {
    const found = find(id);
    service.meanwhile.shift()?.();
    return answer(() => found);
  });
  const update = jest
    .spyOn(client.agents, 'update')
    .mockImplementation((id: string, { tools, version }: UpdateAgentRequest) =>
      answer(() => {
        const found = find(id) as Agent;
        if (version !== found.version)
          throw new PlatformError({
            status: 409,
            code: 'CONFLICT',
            message: 'Stale',
            requestId: null,
            turnId: null,
            retryAfter: null,
          });
        return replace({ ...found, tools: tools as Agent['tools'], version: found.version + 1 }) as Agent;
      }),
    );
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryData(keys.session, { user: { id: 'u' }, space: { id: 's', name: 'Shop', role } });
  const element = (
    <>
      <AddToAgent tool={TOOL} />
      <UsedBy tool={TOOL} />
    </>
  );
  const user = await renderInApp(
    <QueryClientProvider client={queries}>
      <RouterProvider router={createMemoryRouter([{ path: '*', element }])} />
    </QueryClientProvider>,
  );
  /** Chooses an agent in the dialog; `before` happens before the dialog is sent. */
  const choose = async (name: string, before?: () => void) => {
    await user.click(screen.getByRole('button', { name: 'Add to agent' }));
    const dialog = await screen.findByRole('dialog');
    await user.type(within(dialog).getByRole('combobox'), name);
    const options = await screen.findAllByTitle(new RegExp(`^${name}`));
    const option = options.at(-1);
    if (option === undefined) throw new Error('No option');
    await user.click(option);
    before?.();
    await user.click(within(dialog).getByRole('button', { name: 'Add' }));
    return dialog;
  };
  return { user, service, replace, find, list, update, choose };
}

describe('adding a tool to an agent', () => {
  it('keeps the other tools, and says so', async () => {
    const other = { toolId: 'T-2', methods: ['a'], status: 'ready' as const };
    const { choose, find, update } = await setUp([agent('Ada', [other]), FOREIGN]);
    await choose('Ada');
    await screen.findByText('Ada can now call parcels');
    expect(update).toHaveBeenCalledWith('a-Ada', {
      tools: [other, { toolId: 'T-1', methods: null }],
      version: 1,
    });
    expect(find('a-Ada')).toMatchObject({ version: 2 });
  });

  it('keeps what others change meanwhile', async () => {
    const { choose, find, service, replace } = await setUp([agent('Ada')]);
    const added = { toolId: 'T-9', methods: null, status: 'ready' } as const;
    service.meanwhile.push(() => void replace(agent('Ada', [added], { version: 2 })));
    await choose('Ada');
    await screen.findByText('Ada can now call parcels');
    expect(find('a-Ada')).toMatchObject({ tools: [added, { toolId: 'T-1' }], version: 3 });
  });

  it('changes nothing if the agent has it already, also since the list was loaded', async () => {
    const { choose, service, replace, update, find } = await setUp([agent('Ada')]);
    service.meanwhile.push(() => {
      replace(agent('Ada', [{ toolId: 't-1', methods: ['send'] }], { version: 2 }));
    });
    await choose('Ada');
    await screen.findByText('Ada has parcels already');
    expect(update).toHaveBeenCalledTimes(1);
    expect(find('a-Ada')).toMatchObject({ tools: [{ methods: ['send'] }], version: 2 });
  });

  it('says so if the agent may no longer be edited, and closes', async () => {
    const { choose, replace, update } = await setUp([agent('Ada'), agent('Bea')]);
    const dialog = await choose('Ada', () => void replace({ ...FOREIGN, id: 'a-Ada', name: 'Ada' }));
    await screen.findByText('Only the owner and admins can see how this agent is configured');
    await waitFor(() => expect(dialog.isConnected).toBe(false));
    expect(update).not.toHaveBeenCalled();
  });

  it('offers only agents that can be edited, and those that have it only to see', async () => {
    const { user } = await setUp([agent('Has', [{ toolId: 'T-1', methods: null }]), FOREIGN], 'MEMBER');
    await user.click(screen.getByRole('button', { name: 'Add to agent' }));
    await user.click(within(await screen.findByRole('dialog')).getByRole('combobox'));
    const text = await screen.findByText('has it already');
    expect(text.closest('[title="Has"]')?.className).toContain('disabled');
    expect(screen.queryByTitle('Foreign')).toBeNull();
    cleanup();
    const nobody = await setUp([FOREIGN], 'MEMBER');
    await nobody.user.click(screen.getByRole('button', { name: 'Add to agent' }));
    const dialog = await screen.findByRole('dialog');
    await within(dialog).findByText(/There is no agent that you may edit/);
    within(dialog).getByRole('link', { name: 'Create agent' });
  });
});

describe('the agents that use a tool', () => {
  it('are linked, with how many methods they can call', async () => {
    const restricted = { accessScope: 'RESTRICTED', accessible: false } as const;
    await setUp([
      agent('Ada', [{ toolId: 'T-1', methods: null }]),
      agent('Bea', [{ toolId: 'T-1', methods: ['track', 'gone'] }], restricted),
      agent('Cy'),
      FOREIGN,
    ]);
    const used = await screen.findByRole('list', { name: 'Used by' });
    expect(
      within(used)
        .getAllByRole('listitem')
        .map((item) => item.textContent),
    ).toEqual(['Ada2 of 2 methodsEveryone', 'Bea1 of 2 methodsRestrictedNot accessible']);
    expect(within(used).getByRole('link', { name: 'Bea' }).getAttribute('href')).toBe('/agents/a-Bea');
    screen.getByText('The agents that have this tool.');
  });

  it('are said to be those of a member', async () => {
    await setUp([FOREIGN], 'MEMBER');
    await screen.findByText('None yet.');
    screen.getByText('Those of your own agents that have this tool.');
  });
});
