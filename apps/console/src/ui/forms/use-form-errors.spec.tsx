import { it } from '@jest/globals';
import { screen } from '@testing-library/react';
import { Form, Input } from 'antd';
import { renderInApp } from '../../../test/render.tsx';
import { useFormErrors } from './use-form-errors.ts';

const FIRST = 'workflow.steps.0.payload has {{trigger.payload.totl}}, but the event has no field totl';
const SECOND = 'workflow.steps.0.payload has {{trigger.payload.nte}}, but the event has no field nte';

function Example() {
  const [form] = Form.useForm();
  const show = useFormErrors(form, ['workflow.steps.0.payload']);
  return (
    <Form form={form}>
      <Form.Item name={['workflow', 'steps', 0, 'payload']} label="Payload">
        <Input />
      </Form.Item>
      <button type="button" onClick={() => show(new Error(`${FIRST}; ${SECOND}`))}>
        Fail
      </button>
    </Form>
  );
}

it('shows all errors of a field', async () => {
  const user = await renderInApp(<Example />);
  await user.click(screen.getByRole('button', { name: 'Fail' }));
  await screen.findByText('Has {{trigger.payload.totl}}, but the event has no field totl');
  screen.getByText('Has {{trigger.payload.nte}}, but the event has no field nte');
});
