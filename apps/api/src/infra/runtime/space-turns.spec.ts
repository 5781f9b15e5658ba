import { describe, expect, it } from '@jest/globals';
import { SpaceTurns } from './space-turns.ts';

/** Rows in the order in which they are due, which `take` removes. */
function queueOf(...rows: string[]) {
  const turns = new SpaceTurns(4);
  let listed = 0;
  const take = async (limit = 3) => {
    const found = await turns.take(async (served) => {
      listed += 1;
      return rows
        .filter((spaceId) => !served.includes(spaceId))
        .slice(0, limit)
        .map((spaceId) => ({ spaceId }));
    });
    for (const { spaceId } of found) rows.splice(rows.indexOf(spaceId), 1);
    return found.map(({ spaceId }) => spaceId).join('');
  };
  return { take, add: (...more: string[]) => rows.push(...more), listed: () => listed };
}
const many = (spaceId: string, count = 20) => Array.from({ length: count }, () => spaceId);

describe('SpaceTurns', () => {
  it('takes what is due in its order while no space has had its share', async () => {
    const { take } = queueOf('a', 'b', 'a', 'c');
    expect([await take(), await take(), await take()]).toEqual(['aba', 'c', '']);
  });

  it('lets no space wait for more than the shares of the others', async () => {
    const { take } = queueOf(...many('a'), ...many('b'), 'c');
    const order: string[] = [];
    while (!order.includes('c')) order.push(...(await take()));
    expect(order.length).toBeLessThanOrEqual(2 * 6 + 1);
  });

  it('lets spaces that alternate take no more than their shares either', async () => {
    const { take } = queueOf(...many('ab', 10).join('').split(''), 'c');
    const order: string[] = [];
    while (!order.includes('c')) order.push(...(await take()));
    expect(order.length).toBeLessThanOrEqual(2 * 6 + 1);
  });

  it('goes on with a space that is alone, and looks for others once per share', async () => {
    const { take, listed } = queueOf(...many('a', 24));
    let taken = '';
    for (let next = await take(); next !== ''; next = await take()) taken += next;
    expect([taken.length, listed()]).toEqual([24, 8 + 4 + 1]);
  });

  it('serves a space that comes later in the round that goes on', async () => {
    const { take, add } = queueOf(...many('a'));
    expect([await take(), await take()]).toEqual(['aaa', 'aaa']);
    add('b');
    expect([await take(), await take()]).toEqual(['b', 'aaa']);
  });
});
