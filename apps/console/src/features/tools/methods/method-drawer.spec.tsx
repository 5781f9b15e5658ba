import { expect, it, jest } from '@jest/globals';
import { PlatformError } from '@platform/client';
import type { Tool, ToolMethod } from '@platform/contracts';
import { fireEvent, screen } from '@testing-library/react';
import { client } from '../../../api.ts';
import { renderInApp } from '../../../../test/render.tsx';
import { MethodDrawer } from './method-drawer.tsx';

const METHOD = {
  name: 'readLight',
  description: '',
  httpMethod: 'get',
  path: '/lights',
  serverUrl: null,
  inputSchema: {},
  outputSchema: {},
  cache: { ttlSeconds: 0 },
  timeoutMs: 30_000,
  retry: { attempts: 0, backoffMs: 500 },
} as unknown as ToolMethod;
const TOOL = { id: 't1', name: 'Lights', methods: [METHOD] } as Tool;

it('shows at the field that the name is taken, and asks before the change is lost', async () => {
  const message = 'name must be unique: the tool already has a method named dim (case is ignored)';
  const fields = { status: 409, code: 'CONFLICT', message, requestId: null, turnId: null, retryAfter: null };
  jest.spyOn(client.tools, 'updateMethod').mockRejectedValueOnce(new PlatformError(fields));
  const close = jest.fn();
  await renderInApp(<MethodDrawer tool={TOOL} method={METHOD} onClose={close} />);
  fireEvent.click(screen.getByLabelText('Close'));
  expect(close).toHaveBeenCalledTimes(1);

  fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'dim' } });
  fireEvent.click(screen.getByText('Save'));
  await screen.findByText('Must be unique: the tool already has a method named dim (case is ignored)');
  fireEvent.click(screen.getByLabelText('Close'));
  fireEvent.click(await screen.findByText('Stay'));
  expect(close).toHaveBeenCalledTimes(1);
});
