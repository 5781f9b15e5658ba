import { FairGate } from './fair-gate.ts';

describe('a fair gate', () => {
  /** Takes places at the gate for the groups, in this order, and gives them back one by one. */
  async function served(width: number, groups: string[]): Promise<string[]> {
    const gate = new FairGate(width);
    const order: string[] = [];
    const entered = groups.map((group) => gate.enter(group).then(() => order.push(group)));
    for (let i = 0; i < groups.length; i++) {
      await Promise.resolve();
      gate.leave();
    }
    await Promise.all(entered);
    return order;
  }

  it('lets the groups in by turns, however long the line of one is', async () => {
    const order = await served(1, ['a', 'a', 'a', 'a', 'a', 'b', 'c', 'b']);
    expect(order.join('')).toBe('aabcabaa');
  });

  it('lets in so many at a time', async () => {
    const gate = new FairGate(3);
    let inside = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
    };
    await Promise.all(Array.from({ length: 20 }, (_, i) => gate.run(`${i % 2}`, work)));
    expect([inside, most]).toEqual([0, 3]);
  });

  it('takes the place back from work that fails', async () => {
    const gate = new FairGate(1);
    await expect(gate.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(gate.run('b', () => Promise.resolve(1))).resolves.toBe(1);
  });
});
