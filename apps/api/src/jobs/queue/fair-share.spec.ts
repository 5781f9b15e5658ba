import { FairPlaces } from '../../infra/runtime/fair-places.ts';
import { selectUsers, type Contender } from './fair-share.ts';

describe('nextUsers', () => {
  const contender = (userId: string, fields: Partial<Contender> = {}): Contender => ({
    userId,
    oldest: '1',
    running: 0,
    served: 0,
    ...fields,
  });

  it('puts first who runs the fewest, then who was served longest ago, then the oldest job', () => {
    const waiting = [
      contender('busy', { running: 2 }),
      contender('served', { served: 7 }),
      contender('earlier', { served: 3 }),
      contender('young', { oldest: '9' }),
      contender('old', { oldest: '5' }),
    ];
    expect(selectUsers(waiting, new FairPlaces(100), 50)).toEqual([
      'old',
      'young',
      'earlier',
      'served',
      'busy',
    ]);
    expect(selectUsers(waiting, new FairPlaces(2), 50)).toEqual(['old', 'young']);
  });

  it('leaves out who is at the limit, and who holds as many places as are free', () => {
    const places = new FairPlaces(4);
    places.acquire('holder');
    places.acquire('holder');
    expect(
      selectUsers([contender('capped', { running: 3 }), contender('holder'), contender('new')], places, 3),
    ).toEqual(['new']);
  });
});
