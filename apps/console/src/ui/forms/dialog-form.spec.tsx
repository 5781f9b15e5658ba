import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { PlatformError } from '@platform/client';
import { cleanup, screen, waitFor } from '@testing-library/react';
import { Form, Input } from 'antd';
import { useState } from 'react';
import { renderInApp } from '../../../test/render.tsx';
import { DialogForm } from './dialog-form.tsx';

interface Values {
  name: string;
}

afterEach(cleanup);

const invalid = (message: string) =>
  new PlatformError({
    status: 400,
    code: 'VALIDATION_ERROR',
    message,
    requestId: null,
    turnId: null,
    retryAfter: null,
  });

async function setUp(save: (values: Values) => Promise<string>, returnsSecret = false) {
  const onSaved = jest.fn();
  const onClose = jest.fn();
  function Dialog() {
    const [secret, setSecret] = useState<string>();
    return (
      <DialogForm<Values, string>
        title="Create key"
        submitText="Create"
        fields={['name']}
        initialValues={{ name: 'first' }}
        save={save}
        onSaved={(result, values) => {
          onSaved(result, values);
          if (returnsSecret) setSecret(result);
        }}
        onClose={onClose}
        secret={
          secret === undefined
            ? undefined
            : { title: 'Your key', value: secret, label: 'Copy key', warning: 'Copy it now' }
        }
      >
        <Form.Item name="name" label="Name" rules={[{ required: true, message: 'Required' }]}>
          <Input />
        </Form.Item>
      </DialogForm>
    );
  }
  const user = await renderInApp(<Dialog />);
  return { user, onSaved, onClose };
}

const submit = () => screen.getByRole('button', { name: 'Create' });

describe('DialogForm', () => {
  it('saves the values once and reports the result', async () => {
    const save = jest.fn((_: Values) => Promise.resolve('k-1'));
    const { user, onSaved } = await setUp(save);
    const name = screen.getByLabelText('Name');
    await user.clear(name);
    await user.type(name, 'billing');
    await user.click(submit());
    await waitFor(() => expect(onSaved).toHaveBeenCalledWith('k-1', { name: 'billing' }));
    expect(save).toHaveBeenCalledTimes(1);
  });

  it('saves once if Enter is pressed twice', async () => {
    const save = jest.fn((_: Values) => new Promise<string>(() => undefined));
    const { user } = await setUp(save);
    await user.type(screen.getByLabelText('Name'), '{Enter}{Enter}');
    await waitFor(() => expect(save).toHaveBeenCalled());
    await user.type(screen.getByLabelText('Name'), '{Enter}');
    await new Promise((resolve) => setTimeout(resolve));
    expect(save).toHaveBeenCalledTimes(1);
  });

  it('does not save a form with a missing value', async () => {
    const save = jest.fn((_: Values) => Promise.resolve(''));
    const { user } = await setUp(save);
    await user.clear(screen.getByLabelText('Name'));
    await user.click(submit());
    await screen.findByText('Required');
    expect(save).not.toHaveBeenCalled();
  });

  it('shows an error of the service at the field that it names and keeps the input', async () => {
    const { user, onSaved, onClose } = await setUp(() => Promise.reject(invalid('name must be unique')));
    await user.click(submit());
    await screen.findByText('Must be unique');
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('first');
    expect(onSaved).not.toHaveBeenCalled();
    expect(onClose).not.toHaveBeenCalled();
  });

  it('shows an error without a field as a message', async () => {
    const { user } = await setUp(() => Promise.reject(invalid('The space is full')));
    await user.click(submit());
    await screen.findByText('The space is full');
  });

  it('replaces the form by a secret, which only Done closes', async () => {
    const { user, onClose } = await setUp(() => Promise.resolve('pk_123'), true);
    await user.click(submit());
    await screen.findByText('pk_123');
    expect(screen.queryByLabelText('Name')).toBeNull();
    await user.keyboard('{Escape}');
    expect(onClose).not.toHaveBeenCalled();
    await user.click(screen.getByRole('button', { name: 'Done' }));
    expect(onClose).toHaveBeenCalledTimes(1);
  });
});
