import { afterEach, expect, it, jest } from '@jest/globals';
import type { Tool } from '@platform/contracts';
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { MemoryRouter } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client } from '../../api.ts';
import { ToolSettings } from './tool-settings.tsx';

afterEach(cleanup);

const TOOL = {
  id: 't-1',
  kind: 'http',
  name: 'Pets',
  description: '',
  serverUrl: 'https://pets.example.com',
  redirects: 'same-origin',
  auth: { type: 'none' },
  methods: [],
} as unknown as Tool;

it('keeps what is entered when somebody else changes the tool, and takes over the rest', async () => {
  let change: (tool: Tool) => void = () => undefined;
  function Page() {
    const [tool, setTool] = useState(TOOL);
    change = setTool;
    return <ToolSettings tool={tool} />;
  }
  await renderInApp(
    <MemoryRouter>
      <Page />
    </MemoryRouter>,
  );
  const valueOf = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value;
  fireEvent.change(screen.getByLabelText('Description'), { target: { value: 'All about pets' } });
  for (const name of ['Pet shop', 'Pet store']) act(() => change({ ...TOOL, name, description: 'Theirs' }));
  expect([valueOf('Name'), valueOf('Description')]).toEqual(['Pet store', 'All about pets']);
  const update = jest.spyOn(client.tools, 'update').mockResolvedValue(TOOL);
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(update).toHaveBeenCalled());
  expect(update.mock.calls[0]?.[1]).toMatchObject({ name: 'Pet store', description: 'All about pets' });
});
