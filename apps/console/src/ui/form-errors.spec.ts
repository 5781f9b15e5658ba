import { describe, expect, it } from '@jest/globals';
import { parseFieldErrors } from './form-errors.ts';

describe('parseFieldErrors', () => {
  const fields = ['name', 'settings.top_p', 'allowedUserIds', 'price'];

  it('finds the field that a sentence begins with, and leaves its name out', () => {
    expect(parseFieldErrors('name must not be empty', fields)).toEqual([
      { field: ['name'], text: 'Must not be empty' },
    ]);
  });

  it('splits several sentences and keeps those that name no field of the form', () => {
    expect(parseFieldErrors('settings.top_p must not be greater than 1; The space is full', fields)).toEqual([
      { field: ['settings', 'top_p'], text: 'Must not be greater than 1' },
      { field: null, text: 'The space is full' },
    ]);
  });

  it('points at the list for one of its items, and at a group for one of its parts', () => {
    const [item, part] = parseFieldErrors(
      'allowedUserIds[2] must be a UUID; price.inputPerMillion must be positive',
      fields,
    );
    expect(item?.field).toEqual(['allowedUserIds']);
    expect(part).toEqual({ field: ['price'], text: 'price.inputPerMillion must be positive' });
  });

  it('points into the items of a list that the form edits', () => {
    expect(parseFieldErrors('tools[1].name must be short', ['tools.1.name'])).toEqual([
      { field: ['tools', 1, 'name'], text: 'Must be short' },
    ]);
  });

  it('does not take a longer word for a field', () => {
    expect(parseFieldErrors('names are unique', fields)[0]?.field).toBeNull();
  });
});
