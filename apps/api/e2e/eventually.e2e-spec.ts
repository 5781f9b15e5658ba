import { eventually } from './harness/eventually.ts';

describe('eventually', () => {
  it('fails with the last error of its assertion, and not because the test takes too long', async () => {
    let asked = 0;
    const look = () => Promise.reject(new Error(`refused ${++asked} times`));
    const failure = await eventually(look).catch((error: unknown) => error);
    expect(failure).toEqual(new Error(`refused ${asked} times`));
    expect(asked).toBeGreaterThan(1);
  }, 2_000);
});
