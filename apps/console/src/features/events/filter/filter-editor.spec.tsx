import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { EventFilter } from '@platform/contracts';
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { renderInApp } from '../../../../test/render.tsx';
import { FilterEditor } from './filter-editor.tsx';

afterEach(cleanup);

const schema = {
  type: 'object',
  properties: { total: { type: 'integer' }, status: { type: 'string' }, urgent: { type: 'boolean' } },
};

async function setUp(initial: EventFilter | null) {
  const onChange = jest.fn<(filter: EventFilter | null | undefined) => void>();
  const user = await renderInApp(<FilterEditor initial={initial} schema={schema} onChange={onChange} />);
  return { user, onChange };
}

const field = (number: number) => screen.getByRole('combobox', { name: `Field ${number}` });
const json = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'JSON' });
const values = (number: number) => screen.getByRole('combobox', { name: `Values of field ${number}` });

describe('FilterEditor', () => {
  it('takes the type of a value from the schema, and one value is not a list', async () => {
    const { user, onChange } = await setUp(null);
    await user.click(screen.getByRole('button', { name: /Add field/ }));
    expect(onChange).toHaveBeenLastCalledWith(undefined);
    await user.type(field(1), 'total');
    await user.type(values(1), '50{Enter}');
    expect(onChange).toHaveBeenLastCalledWith({ total: 50 });
    await user.type(values(1), '100{Enter}');
    expect(onChange).toHaveBeenLastCalledWith({ total: [50, 100] });
  });

  it('says which entry is wrong, and reports no filter until it is corrected', async () => {
    const { user, onChange } = await setUp({ total: 5 });
    await user.type(values(1), 'many{Enter}');
    screen.getByText('Enter numbers only');
    expect(onChange).toHaveBeenLastCalledWith(undefined);
    await user.click(within(screen.getByTitle('many')).getByRole('img', { hidden: true }));
    expect(onChange).toHaveBeenLastCalledWith({ total: 5 });
    expect(screen.queryByText('Enter numbers only')).toBeNull();
  });

  it('removes a field, and matches everything without fields', async () => {
    const { user, onChange } = await setUp({ status: 'paid' });
    await user.click(screen.getByRole('button', { name: 'Remove status' }));
    expect(onChange).toHaveBeenLastCalledWith(null);
    screen.getByText('No filter: every event matches.');
  });

  it('carries the filter over to JSON and back', async () => {
    const { user, onChange } = await setUp({ status: ['paid', 'free'] });
    await user.click(screen.getByText('JSON'));
    const text = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'JSON' });
    expect(JSON.parse(text.value)).toEqual({ status: ['paid', 'free'] });
    await user.clear(text);
    await user.click(text);
    await user.paste('{"total":');
    expect(onChange).toHaveBeenLastCalledWith(undefined);
    screen.getByText('Enter a JSON object, or nothing for no filter');
    await user.paste('7}');
    expect(onChange).toHaveBeenLastCalledWith({ total: 7 });
    await user.click(screen.getByText('Fields'));
    expect(field(1)).toHaveProperty('value', 'total');
  });

  it('keeps a condition that is not complete, and shows the others as JSON', async () => {
    const { user, onChange } = await setUp({ status: 'paid' });
    await user.click(screen.getByRole('button', { name: /Add field/ }));
    await user.type(field(2), 'total');
    await user.click(screen.getByText('JSON'));
    expect(JSON.parse(json().value)).toEqual({ status: 'paid' });
    expect(onChange).toHaveBeenLastCalledWith({ status: 'paid' });
    screen.getByText('Conditions of the fields that are not complete are missing here.');
    await user.click(screen.getByText('Fields'));
    expect(field(1)).toHaveProperty('value', 'status');
    expect(field(2)).toHaveProperty('value', 'total');
    expect(onChange).toHaveBeenLastCalledWith(undefined);
    await user.type(values(2), '50{Enter}');
    expect(onChange).toHaveBeenLastCalledWith({ status: 'paid', total: 50 });
  });

  it('does not take a blank text for no filter while no condition is complete', async () => {
    const { user, onChange } = await setUp(null);
    await user.click(screen.getByRole('button', { name: /Add field/ }));
    await user.type(field(1), 'total');
    await user.click(screen.getByText('JSON'));
    await user.type(json(), ' ');
    expect(onChange).toHaveBeenLastCalledWith(undefined);
    screen.getByText(/^No condition of the fields is complete/);
    await user.click(screen.getByText('Fields'));
    expect(field(1)).toHaveProperty('value', 'total');
    await user.click(screen.getByText('JSON'));
    await user.type(json(), 'null');
    expect(onChange).toHaveBeenLastCalledWith(null);
  });

  it('goes back from a text that is no filter, and keeps the text', async () => {
    const { user, onChange } = await setUp({ status: 'paid' });
    await user.click(screen.getByText('JSON'));
    fireEvent.change(json(), { target: { value: '{"total": 9007199254740993' } });
    await user.click(screen.getByText('Fields'));
    expect(field(1)).toHaveProperty('value', 'status');
    expect(onChange).toHaveBeenLastCalledWith({ status: 'paid' });
    await user.click(screen.getByText('JSON'));
    expect(json().value).toBe('{"total": 9007199254740993');
    expect(onChange).toHaveBeenLastCalledWith(undefined);
    fireEvent.change(json(), { target: { value: '{"total": 9007199254740993}' } });
    screen.getByText(/^total is an integer that a number cannot hold exactly/);
    expect(onChange).toHaveBeenLastCalledWith(undefined);
  });

  it('opens a filter that has no fields form as JSON', async () => {
    await setUp({ customer: { id: 7 } });
    screen.getByText('This filter can be edited only as JSON.');
    expect(screen.getByRole('radio', { name: 'Fields' })).toHaveProperty('disabled', true);
  });

  it('combines operators of a field, and reads the value of each', async () => {
    const { user, onChange } = await setUp({ total: { $gte: 10 } });
    const value = () => screen.getByRole('textbox', { name: 'Values of field 1' });
    await user.type(value(), '0');
    expect(onChange).toHaveBeenLastCalledWith({ total: { $gte: 100 } });
    await user.click(screen.getByRole('button', { name: /Add field/ }));
    await user.type(field(2), 'total');
    await user.click(screen.getByRole('combobox', { name: 'Operator of field 2' }));
    await user.click(screen.getByTitle('is less than'));
    await user.type(screen.getByRole('textbox', { name: 'Values of field 2' }), '200');
    expect(onChange).toHaveBeenLastCalledWith({ total: { $gte: 100, $lt: 200 } });
    await user.clear(value());
    expect(onChange).toHaveBeenLastCalledWith(undefined);
    screen.getByText('Enter at least one value');
  });

  it('needs no value to ask whether a field is there', async () => {
    const { user, onChange } = await setUp({ status: 'paid' });
    await user.click(screen.getByRole('combobox', { name: 'Operator of field 1' }));
    await user.click(screen.getByTitle('is missing'));
    expect(onChange).toHaveBeenLastCalledWith({ status: { $exists: false } });
    expect(screen.queryByRole('combobox', { name: 'Values of field 1' })).toBeNull();
  });
});
