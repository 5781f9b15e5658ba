import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, it, jest } from '@jest/globals';
import { FilterSelect } from './filter-select.tsx';

it('shows a value that is none of its options, and removes it', async () => {
  const change = jest.fn();
  const options = [{ value: 'a-1', label: 'Planner' }];
  render(<FilterSelect label="Agent" any="All agents" value="a-2" onChange={change} options={options} />);
  const field = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Agent' });
  expect(field.value).toBe('a-2');
  await userEvent.selectOptions(field, 'All agents');
  expect(change).toHaveBeenCalledWith(undefined);
  cleanup();
});
