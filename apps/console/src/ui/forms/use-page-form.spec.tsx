import { expect, it, jest } from '@jest/globals';
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import { Form, Input } from 'antd';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { usePageForm } from './use-page-form.ts';

interface Values {
  name: string;
}

function Page({ onSubmit }: { onSubmit: (values: Values) => Promise<unknown> }) {
  const { formProps, isDirty } = usePageForm<Values>({
    initial: { name: 'first' },
    fields: ['name'],
    saved: false,
    onSubmit,
  });
  return (
    <Form<Values> {...formProps}>
      <Form.Item name="name" label="Name">
        <Input />
      </Form.Item>
      {isDirty && <p>Unsaved changes</p>}
    </Form>
  );
}

function show(onSubmit: (values: Values) => Promise<unknown>) {
  const router = createMemoryRouter([{ path: '*', element: <Page onSubmit={onSubmit} /> }]);
  return renderInApp(<RouterProvider router={router} />);
}

it('saves once if the keys are pressed twice, and again after a failure', async () => {
  const attempts: ((error: Error) => void)[] = [];
  const save = jest.fn((_: Values) => new Promise((_, reject) => attempts.push(reject)));
  const user = await show(save);
  const twice = '{Control>}ss{/Control}';
  await user.type(screen.getByLabelText('Name'), twice);
  await waitFor(() => expect(save).toHaveBeenCalled());
  await user.keyboard(twice);
  expect(save).toHaveBeenCalledTimes(1);
  act(() => attempts[0]?.(new Error('The space is full')));
  await screen.findByText('The space is full');
  await user.keyboard(twice);
  await waitFor(() => expect(save).toHaveBeenCalledTimes(2));
  cleanup();
});

it('knows that nothing was saved if the user has decided so', async () => {
  const save = jest.fn(() => Promise.resolve(false));
  const user = await show(save);
  await user.type(screen.getByLabelText('Name'), 'x{Control>}s{/Control}');
  await waitFor(() => expect(save).toHaveBeenCalled());
  await screen.findByText('Unsaved changes');
  save.mockResolvedValue(true);
  await user.keyboard('{Control>}s{/Control}');
  await waitFor(() => expect(screen.queryByText('Unsaved changes')).toBeNull());
  cleanup();
});

it('knows that what was entered while it was saved is not saved', async () => {
  const saved = Promise.withResolvers<boolean>();
  const user = await show(() => saved.promise);
  await user.type(screen.getByLabelText('Name'), 'x{Control>}s{/Control}');
  await user.type(screen.getByLabelText('Name'), 'y');
  await act(async () => saved.resolve(true));
  await screen.findByText('Unsaved changes');
  cleanup();
});

it('is not saved by keys that are pressed in a dialog above the page', async () => {
  const save = jest.fn(() => Promise.resolve(true));
  const user = await show(save);
  const dialog = document.createElement('div');
  dialog.setAttribute('role', 'dialog');
  const input = dialog.appendChild(document.createElement('input'));
  document.body.append(dialog);
  await user.type(input, '{Control>}s{/Control}');
  await user.type(screen.getByLabelText('Name'), '{Control>}s{/Control}');
  await waitFor(() => expect(save).toHaveBeenCalled());
  expect(save).toHaveBeenCalledTimes(1);
  dialog.remove();
  cleanup();
});
