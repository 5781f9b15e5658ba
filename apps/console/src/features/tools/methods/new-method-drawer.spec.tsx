import { expect, it, jest } from '@jest/globals';
import { PlatformError } from '@platform/client';
import type { Tool } from '@platform/contracts';
import { fireEvent, screen } from '@testing-library/react';
import { client } from '../../../api.ts';
import { renderInApp } from '../../../../test/render.tsx';
import { NewMethodDrawer } from './new-method-drawer.tsx';

const TOOL = { id: 't1', name: 'Lights', methods: [{ name: 'readLight' }] } as Tool;

const type = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });

it('shows at the field that the name is taken, and sends the method as it was entered', async () => {
  const message =
    'methods[0].name must be unique: the tool already has a method named READLIGHT (case is ignored)';
  const add = jest.spyOn(client.tools, 'addMethods').mockRejectedValueOnce(
    new PlatformError({
      status: 409,
      code: 'CONFLICT',
      message,
      requestId: null,
      turnId: null,
      retryAfter: null,
    }),
  );
  await renderInApp(<NewMethodDrawer tool={TOOL} onClose={() => undefined} />);
  type('Method name', 'READLIGHT');
  type('Path', '/lights/{light}');
  fireEvent.click(screen.getByText('Save'));
  await screen.findByText('Must be unique: the tool already has a method named READLIGHT (case is ignored)');
  expect(screen.queryByText(/methods\[0\]/)).toBeNull();
  expect(add).toHaveBeenCalledWith('t1', [
    expect.objectContaining({ name: 'READLIGHT', httpMethod: 'get', path: '/lights/{light}' }),
  ]);
});

it('asks before a filled form is closed by Escape or the cross, and not before an empty one', async () => {
  const close = jest.fn();
  const user = await renderInApp(<NewMethodDrawer tool={TOOL} onClose={close} />);
  await user.keyboard('{Escape}');
  expect(close).toHaveBeenCalledTimes(1);

  type('Method name', 'dim');
  fireEvent.click(screen.getByLabelText('Close'));
  fireEvent.click(await screen.findByText('Stay'));
  expect(close).toHaveBeenCalledTimes(1);
  fireEvent.click(screen.getByLabelText('Close'));
  fireEvent.click((await screen.findAllByText('Leave')).at(-1) as HTMLElement);
  expect(close).toHaveBeenCalledTimes(2);
});
