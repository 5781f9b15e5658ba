import { expect, it, jest } from '@jest/globals';
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import { Form, Input } from 'antd';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { usePageForm } from './use-page-form.ts';

interface Values {
  name: string;
}

it('saves once if the keys are pressed twice, and again after a failure', async () => {
  const attempts: ((error: Error) => void)[] = [];
  const save = jest.fn((_: Values) => new Promise((_, reject) => attempts.push(reject)));
  function Page() {
    const { formProps } = usePageForm<Values>({
      initial: { name: 'first' },
      fields: ['name'],
      saved: false,
      onSubmit: save,
    });
    return (
      <Form<Values> {...formProps}>
        <Form.Item name="name" label="Name">
          <Input />
        </Form.Item>
      </Form>
    );
  }
  const router = createMemoryRouter([{ path: '*', element: <Page /> }]);
  const user = await renderInApp(<RouterProvider router={router} />);
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
