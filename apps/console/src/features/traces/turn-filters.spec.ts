import { expect, it } from '@jest/globals';
import { parseTurnFilters } from './use-turn-filters.ts';

const parse = (search: string, isAdmin = true) => parseTurnFilters(new URLSearchParams(search), isAdmin);

it('reads the filters of the URL, and ignores values that do not exist', () => {
  expect(parse('agent=a&session=s&run=r&status=FAILED&model=m&since=24h')).toEqual({
    agent: 'a',
    session: 's',
    run: 'r',
    status: 'FAILED',
    model: 'm',
    since: '24h',
  });
  expect(parse('status=DONE&since=1y&agent=')).toEqual({});
});

it('combines no session with the turns of the space, and none without its agent', () => {
  expect(parse('scope=space&agent=a&session=s&user=u')).toEqual({ scope: 'space', agent: 'a', user: 'u' });
  expect(parse('session=s')).toEqual({});
});

it('shows members only their own turns', () => {
  expect(parse('scope=space&user=u', false)).toEqual({});
});
