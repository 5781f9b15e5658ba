import { orderUsers, type Contender } from './user-order.ts';

const contender = (userId: string, fields: Partial<Contender> = {}): Contender => ({
  userId,
  oldest: '1',
  running: 0,
  served: 0,
  ...fields,
});

it('orders users by running turns, then by when they were last served, then by their oldest job', () => {
  const waiting = [
    contender('busy', { running: 2 }),
    contender('served', { served: 7 }),
    contender('earlier', { served: 3 }),
    contender('young', { oldest: '9' }),
    contender('old', { oldest: '5' }),
  ];
  expect(orderUsers(waiting, 50)).toEqual(['old', 'young', 'earlier', 'served', 'busy']);
});

it('leaves out users at the limit of running turns', () => {
  expect(orderUsers([contender('capped', { running: 3 }), contender('new')], 3)).toEqual(['new']);
});
