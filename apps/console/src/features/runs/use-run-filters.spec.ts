import { describe, expect, it } from '@jest/globals';
import { parseRunFilters } from './use-run-filters.ts';

const parse = (search: string) => parseRunFilters(new URLSearchParams(search));

describe('the filters of runs in a URL', () => {
  it('are read as they were written', () => {
    const filters = 'status=FAILED&origin=EVENT&taskId=t&ownerUserId=u&event=order.paid&since=7d';
    expect(parse(`${filters}&errorCode=TIMEOUT&text=order+17`)).toEqual({
      status: 'FAILED',
      origin: 'EVENT',
      taskId: 't',
      ownerUserId: 'u',
      event: 'order.paid',
      since: '7d',
      errorCode: 'TIMEOUT',
      text: 'order 17',
    });
  });

  it.each(['', 'status=DONE&origin=event', 'taskId=&ownerUserId=&from=soon&errorCode=&text='])(
    'are absent if they are not valid: %j',
    (search) => {
      expect(parse(search)).toEqual({});
    },
  );
});
