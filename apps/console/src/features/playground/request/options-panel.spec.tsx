import { expect, it, jest } from '@jest/globals';
import { act, fireEvent, screen } from '@testing-library/react';
import type { Agent, AgentListing } from '@platform/contracts';
import { useState } from 'react';
import { MemoryRouter } from 'react-router';
import { client } from '../../../api.ts';
import { renderInApp } from '../../../../test/render.tsx';
import { NEW_OPTIONS, toCall, type CallKind, type RunOptions } from './call.ts';
import { OptionsPanel } from './options-panel.tsx';

const AGENT = {
  id: 'a1',
  name: 'Order desk',
  model: 'own/model',
  systemPrompt: 'Help {{customer}} in {{language}}.',
  variables: [{ name: 'language', default: 'English' }],
  settings: { temperature: 0.4 },
  version: 3,
} as Agent;

/** Shows the panel, and returns what it was changed to. */
async function showPanel(agent: Agent | AgentListing, kind: CallKind) {
  const shown: { options: RunOptions } = { options: { ...NEW_OPTIONS, kind } };
  function Page() {
    const [options, setOptions] = useState(shown.options);
    shown.options = options;
    return <OptionsPanel agent={agent} options={options} onChange={setOptions} />;
  }
  const list = jest.spyOn(client.models, 'list');
  list.mockResolvedValue({
    items: ['own/model', 'other/model'].map((name) => ({ name, kind: 'chat' })) as never,
    nextCursor: null,
  });
  await renderInApp(
    <MemoryRouter>
      <Page />
    </MemoryRouter>,
  );
  if ('model' in agent) await screen.findByRole('option', { name: 'other/model' });
  else await act(() => Promise.all(list.mock.results.map(({ value }) => value)));
  return shown;
}

const type = (name: string | RegExp, value: string) =>
  fireEvent.change(screen.getByLabelText(name), { target: { value } });

it('collects variables, a model, and parameters for an execution', async () => {
  const shown = await showPanel(AGENT, 'execute');
  type(/^customer/, 'Ada');
  fireEvent.change(screen.getByLabelText('Model'), { target: { value: 'other/model' } });
  type('Temperature', '0.7');
  expect(screen.getByLabelText('language').getAttribute('placeholder')).toBe('English');
  const { request } = toCall('a1', 's1', [{ type: 'text', text: 'Hi' }], shown.options);
  expect(request).toEqual({
    inputs: { customer: 'Ada', query: 'Hi', memory: true, session_id: 's1' },
    model: 'other/model',
    settings: { temperature: 0.7 },
  });
  fireEvent.click(screen.getByRole('button', { name: 'Reset' }));
  expect(shown.options).toEqual({ ...NEW_OPTIONS, kind: 'execute' });
});

it('saves the model and the parameters to the agent, on its version', async () => {
  const update = jest.spyOn(client.agents, 'update').mockResolvedValue({ ...AGENT, version: 4 });
  const shown = await showPanel(AGENT, 'chat');
  const save = screen.getByRole('button', { name: 'Save to agent' });
  expect(save.hasAttribute('disabled')).toBe(true);
  expect(screen.getByLabelText(/^customer/).hasAttribute('disabled')).toBe(true);
  type('Max tokens', '500');
  fireEvent.click(save);
  await screen.findByText('Saved as version 4');
  expect(update).toHaveBeenCalledWith('a1', {
    version: 3,
    settings: { temperature: 0.4, max_tokens: 500 },
  });
  expect(shown.options.parameters).toEqual({});
});

it('takes any variables of an agent whose prompt is not readable, and offers no model', async () => {
  const shown = await showPanel({ id: 'a1', name: 'Order desk' } as AgentListing, 'execute');
  fireEvent.click(screen.getByRole('button', { name: 'Add variable' }));
  type('Name of variable 1', 'customer');
  type('Value of variable 1', 'Ada');
  expect(shown.options.variables).toEqual({ customer: 'Ada' });
  expect(screen.queryByLabelText('Model')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Remove variable 1' }));
  expect(shown.options.variables).toEqual({});
});
