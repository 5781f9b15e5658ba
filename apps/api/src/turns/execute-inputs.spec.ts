import { checkInputs } from './execute-inputs.ts';

describe('the session_id of an execution', () => {
  it.each(['s', 'x'.repeat(128), null, undefined])('may be %j', (session_id) => {
    expect(checkInputs({ session_id }, 'inputs')).toEqual([]);
  });

  it.each(['', 'x'.repeat(129), 'a\0b', '\ud83d', 1])('may not be %j', (session_id) => {
    expect(checkInputs({ session_id }, 'inputs')).toEqual([
      expect.stringMatching(/^inputs\.session_id must be/),
    ]);
  });
});
