import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { AvailableModels, Model } from '@platform/contracts';
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client } from '../../api.ts';
import { loadSpaceTexts } from '../../i18n.ts';
import { ModelDrawer } from './model-drawer.tsx';

const MODEL = {
  id: '01996f2e-0000-7000-8000-000000000004',
  name: 'mine',
  provider: 'openai-compatible',
  kind: 'chat',
  baseUrl: 'https://models.example/v1',
  apiKeyConfigured: true,
} as Model;

const answer = (more: Partial<AvailableModels> = {}): AvailableModels => ({
  ok: true,
  names: ['gpt-large', 'gpt-small', 'embedding'],
  isComplete: true,
  message: 'The server lists 3 models.',
  ...more,
});

beforeEach(loadSpaceTexts);
afterEach(() => {
  cleanup();
  jest.restoreAllMocks();
});

const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const type = (label: string, value: string) => fireEvent.change(field(label), { target: { value } });

async function open(model: Model | null) {
  const list = jest.spyOn(client.models, 'listAvailable');
  list.mockResolvedValue(answer());
  const user = await renderInApp(
    <MemoryRouter>
      <ModelDrawer model={model} onClose={() => undefined} />
    </MemoryRouter>,
  );
  await screen.findByLabelText('Base URL');
  const ask = async () => user.click(screen.getByRole('button', { name: 'List models' }));
  return { user, list, ask };
}

it('fills in the base URL of a provider, and keeps one that was typed', async () => {
  const { user } = await open(null);
  expect(field('Base URL').value).toBe('https://api.openai.com/v1');
  const chosen = () => screen.getByLabelText('Provider').closest('.ant-select')?.textContent;
  expect(chosen()).toContain('OpenAI');
  fireEvent.mouseDown(screen.getByLabelText('Provider'));
  await user.click(await screen.findByTitle('DeepSeek'));
  await waitFor(() => expect(field('Base URL').value).toBe('https://api.deepseek.com'));
  type('Base URL', 'https://models.example/v1');
  await waitFor(() => expect(chosen()).toContain('Other'));
  expect(field('Base URL').value).toBe('https://models.example/v1');
  type('Base URL', 'https://openrouter.ai/api/v1/');
  await waitFor(() => expect(chosen()).toContain('OpenRouter'));
});

it('suggests the models that the server lists, until another server is entered', async () => {
  const { list, ask, user } = await open(null);
  type('API key', 'sk-1');
  await ask();
  await screen.findByText('3 models: choose one as the name.');
  expect(list.mock.calls).toEqual([[{ baseUrl: 'https://api.openai.com/v1', apiKey: 'sk-1' }]]);
  type('Name', 'SMALL');
  await user.click(await screen.findByTitle('gpt-small'));
  await waitFor(() => expect(field('Name').value).toBe('gpt-small'));

  type('Base URL', 'https://models.example/v1');
  await waitFor(() => expect(screen.queryByText('3 models: choose one as the name.')).toBeNull());
  type('Base URL', 'https://api.openai.com/v1');
  await screen.findByText('3 models: choose one as the name.');
});

it('says so if the server does not list its models, and takes a name that is typed', async () => {
  const { list, ask, user } = await open(null);
  const create = jest.spyOn(client.models, 'create').mockResolvedValue(MODEL);
  jest.spyOn(client.models, 'test').mockResolvedValue({ ok: true, latencyMs: 1, message: '' });
  list.mockResolvedValue(answer({ ok: false, names: [], message: 'The server has no list.' }));
  await ask();
  await screen.findByText('The server has no list. You can enter the name by hand.');
  list.mockResolvedValue(answer({ names: [] }));
  await ask();
  await screen.findByText('The server lists no models. Enter the name by hand.');
  list.mockResolvedValue(answer({ isComplete: false }));
  await ask();
  await screen.findByText('The first 3 models: choose one as the name, or enter another.');
  type('Name', 'typed');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(create).toHaveBeenCalledTimes(1));
  expect(create.mock.calls[0]?.[0]).toMatchObject({ name: 'typed', baseUrl: 'https://api.openai.com/v1' });
});

it('lists with the stored key of a model only while its base URL is that of the model', async () => {
  const { list, ask } = await open(MODEL);
  expect(screen.queryByLabelText('Provider')).toBeNull();
  await ask();
  await screen.findByText('3 models: choose one as the name.');
  type('API key', 'sk-2');
  await ask();
  await waitFor(() => expect(list).toHaveBeenCalledTimes(2));
  type('Base URL', 'https://other.example/v1');
  await ask();
  await waitFor(() => expect(list).toHaveBeenCalledTimes(3));
  expect(list.mock.calls.map(([asked]) => asked)).toEqual([
    { modelId: MODEL.id },
    { modelId: MODEL.id, apiKey: 'sk-2' },
    { baseUrl: 'https://other.example/v1', apiKey: 'sk-2' },
  ]);
});

it('points at a base URL that the service refuses', async () => {
  const { list, ask } = await open(null);
  type('Base URL', '');
  await ask();
  await screen.findByText('Required');
  expect(list).not.toHaveBeenCalled();
});
