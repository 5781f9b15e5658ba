import { describe, expect, it } from '@jest/globals';
import { parseFieldErrors } from './form-errors.ts';

describe('parseFieldErrors', () => {
  const fields = ['name', 'settings.top_p', 'allowedUserIds', 'price'];

  it('finds the field at the start of a sentence and removes its name', () => {
    expect(parseFieldErrors(['name must not be empty'], fields)).toEqual([
      { field: ['name'], text: 'Must not be empty' },
    ]);
  });

  it('splits sentences and keeps those without a field of the form', () => {
    expect(
      parseFieldErrors(['settings.top_p must not be greater than 1', 'The space is full'], fields),
    ).toEqual([
      { field: ['settings', 'top_p'], text: 'Must not be greater than 1' },
      { field: null, text: 'The space is full' },
    ]);
  });

  it('finds the list of an item, and the group of a part', () => {
    const [item, part] = parseFieldErrors(
      ['allowedUserIds[2] must be a UUID', 'price.inputPerMillion must be positive'],
      fields,
    );
    expect(item?.field).toEqual(['allowedUserIds']);
    expect(part).toEqual({ field: ['price'], text: 'price.inputPerMillion must be positive' });
  });

  it('finds fields inside the items of a list', () => {
    expect(parseFieldErrors(['tools[1].name must be short'], ['tools.1.name'])).toEqual([
      { field: ['tools', 1, 'name'], text: 'Must be short' },
    ]);
  });

  it('does not mistake a longer word for a field', () => {
    expect(parseFieldErrors(['names are unique'], fields)[0]?.field).toBeNull();
  });
});
