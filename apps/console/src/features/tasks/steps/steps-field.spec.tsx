import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Tool } from '@platform/contracts';
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { Button, Form } from 'antd';
import { renderInApp } from '../../../../test/render.tsx';
import { client } from '../../../api.ts';
import { StepsField } from './steps-field.tsx';
import { toTaskRequest, type TaskForm } from '../task.ts';
import type { StepForm } from './step-kind.ts';

afterEach(cleanup);

const code = (id: string): StepForm => ({ id, kind: 'code', source: `return '${id}';` });

async function setUp(steps: StepForm[]) {
  const onFinish = jest.fn<(steps: unknown) => void>();
  function StepsForm() {
    const [form] = Form.useForm<TaskForm>();
    return (
      <Form
        form={form}
        initialValues={{ type: 'MANUAL', workflow: { steps } }}
        onFinish={() => onFinish(toTaskRequest(form.getFieldsValue(true) as TaskForm).workflow.steps)}
      >
        <StepsField />
        <Button htmlType="submit">Save</Button>
      </Form>
    );
  }
  const user = await renderInApp(<StepsForm />);
  const save = () => user.click(screen.getByRole('button', { name: 'Save' }));
  return { user, onFinish, save };
}

const step = (number: number) => within(screen.getByRole('group', { name: `Step ${number}` }));

describe('StepsField', () => {
  it('reorders and removes steps', async () => {
    const { user, onFinish, save } = await setUp([code('a'), code('b'), code('c')]);
    await user.click(screen.getByRole('button', { name: 'Move step 3 up' }));
    await user.click(screen.getByRole('button', { name: 'Remove step 1' }));
    expect(screen.getByRole('button', { name: 'Move step 1 up' })).toHaveProperty('disabled', true);
    expect(screen.getByRole('button', { name: 'Move step 2 down' })).toHaveProperty('disabled', true);
    await save();
    await waitFor(() =>
      expect(onFinish).toHaveBeenCalledWith([
        { id: 'c', kind: 'code', source: "return 'c';" },
        { id: 'b', kind: 'code', source: "return 'b';" },
      ]),
    );
  });

  it('rejects ids that later steps could not refer to', async () => {
    const { onFinish, save } = await setUp([code('same'), code('same'), code('1st')]);
    await save();
    await step(2).findByText('Another step has this id');
    await step(3).findByText('Letters, digits, and _, not starting with a digit');
    expect(step(1).queryByText('Another step has this id')).toBeNull();
    expect(onFinish).not.toHaveBeenCalled();
  });

  it('lists what code can use', async () => {
    const { user } = await setUp([code('a')]);
    await user.click(step(1).getByText('What code can use'));
    expect(step(1).getByText("const order = await platform.data.get('shop', 'orders', id);")).toBeDefined();
  });

  it('needs at least one step', async () => {
    const { user, onFinish, save } = await setUp([code('a')]);
    await user.click(screen.getByRole('button', { name: 'Remove step 1' }));
    await save();
    await screen.findByText('Add at least one step');
    expect(onFinish).not.toHaveBeenCalled();
  });

  it('shows the names of the tool and its method, and wants a JSON object as input', async () => {
    const tool = { id: 'current_time', name: 'Clock', methods: [{ name: 'now', enabled: true }] } as Tool;
    jest.spyOn(client.tools, 'list').mockResolvedValue({ items: [tool], nextCursor: null });
    jest.spyOn(client.tools, 'get').mockResolvedValue(tool);
    const { onFinish, save } = await setUp([
      code('a'),
      { id: 'step2', kind: 'tool', toolId: 'current_time', method: 'now' },
    ]);
    await step(2).findByTitle('Clock');
    expect(step(2).getByTitle('now')).toBeDefined();
    // The editor replaces the field in which the text is edited until it is loaded.
    const enter = (value: string) =>
      fireEvent.change(step(2).getByRole('textbox', { name: 'Input' }), { target: { value } });
    await step(2).findByRole('textbox', { name: 'Input' });
    enter('[1]');
    await save();
    await step(2).findByText('Enter a JSON object');
    enter('{"zone":"{{inputs.zone}}"}');
    const statuses = step(2).getByRole('textbox', { name: 'Accepted error statuses' });
    fireEvent.change(statuses, { target: { value: '200' } });
    await save();
    await step(2).findByText('Statuses from 400 to 599, 4xx, or 5xx, with commas between them');
    fireEvent.change(statuses, { target: { value: '404, 5xx' } });
    await save();
    await waitFor(() =>
      expect(onFinish).toHaveBeenCalledWith([
        { id: 'a', kind: 'code', source: "return 'a';" },
        {
          id: 'step2',
          kind: 'tool',
          toolId: 'current_time',
          method: 'now',
          input: { zone: '{{inputs.zone}}' },
          acceptStatus: [404, '5xx'],
        },
      ]),
    );
  });

  it('asks for what the operation of a data step needs', async () => {
    const applicationIdentifier = 'shop';
    const { user, onFinish, save } = await setUp([
      {
        id: 'rows',
        kind: 'data',
        applicationIdentifier,
        table: 'orders',
        operation: 'find',
        where: '{}',
        values: '{}',
      },
    ]);
    expect(step(1).getByRole('textbox', { name: 'Order' })).toBeDefined();
    await step(1).findByRole('textbox', { name: 'Conditions' });
    await user.click(step(1).getByRole('combobox', { name: 'Operation' }));
    await user.click(await screen.findByTitle('Insert rows'));
    expect(step(1).queryByRole('textbox', { name: 'Order' })).toBeNull();
    expect(step(1).queryByRole('textbox', { name: 'Conditions' })).toBeNull();
    const enter = (value: string) =>
      fireEvent.change(step(1).getByRole('textbox', { name: 'Column values' }), { target: { value } });
    await step(1).findByRole('textbox', { name: 'Column values' });
    enter('[{"n":1},2]');
    await save();
    await step(1).findByText('Enter a JSON object, or an array of objects');
    enter('[{"n":1},{"n":"{{inputs.n}}"}]');
    await save();
    const values = [{ n: 1 }, { n: '{{inputs.n}}' }];
    const rows = { id: 'rows', kind: 'data', applicationIdentifier, table: 'orders' };
    await waitFor(() => expect(onFinish).toHaveBeenCalledWith([{ ...rows, operation: 'insert', values }]));
  });

  it('keeps the row that was entered for another operation on a row', async () => {
    const rows = { id: 'rows', kind: 'data' as const, applicationIdentifier: 'shop', table: 'orders' };
    const { user, onFinish, save } = await setUp([
      { ...rows, operation: 'get', where: '{"number":7}', values: '{"open":false}' },
    ]);
    await user.click(step(1).getByRole('combobox', { name: 'Operation' }));
    await user.click(await screen.findByTitle('Change a row'));
    await save();
    await waitFor(() =>
      expect(onFinish).toHaveBeenCalledWith([
        { ...rows, operation: 'update', where: { number: 7 }, values: { open: false } },
      ]),
    );
  });

  it('edits a step as JSON and in its form, and copies it with what it contains', async () => {
    const inside = { ...code('inside'), json: undefined };
    const { user, onFinish, save } = await setUp([
      { id: 'all', kind: 'each', items: '[1]', steps: [inside] },
    ]);
    await user.click(screen.getByRole('button', { name: 'Edit step 1 as JSON' }));
    expect(screen.queryByRole('group', { name: 'Step 1.1' })).toBeNull();
    await step(1).findByRole('textbox', { name: 'Fields' });
    const enter = (fields: object) =>
      fireEvent.change(step(1).getByRole('textbox', { name: 'Fields' }), {
        target: { value: JSON.stringify(fields) },
      });
    enter({ items: 1, color: 'red' });
    await user.click(screen.getByRole('button', { name: 'Edit step 1 in a form' }));
    await screen.findByText('The form cannot show this JSON. Keep it, or correct it.');
    const source = 'return context.steps.inside.output;';
    const steps = [
      { id: 'inside', kind: 'code', source: 'return 1;' },
      { id: 'next', kind: 'code', source },
    ];
    enter({ items: [1], steps, when: 'inputs.go' });
    await user.click(screen.getByRole('button', { name: 'Edit step 1 in a form' }));
    await screen.findByRole('group', { name: 'Step 1.2' });
    expect(step(1).getByText('if inputs.go')).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Duplicate step 1' }));
    await save();
    const all = { id: 'all', kind: 'each', items: [1], when: 'inputs.go', steps };
    const copies = [
      { id: 'inside_2', kind: 'code', source: 'return 1;' },
      { id: 'next_2', kind: 'code', source: 'return context.steps.inside_2.output;' },
    ];
    await waitFor(() => expect(onFinish).toHaveBeenCalledWith([all, { ...all, id: 'all_2', steps: copies }]));
  });
});
