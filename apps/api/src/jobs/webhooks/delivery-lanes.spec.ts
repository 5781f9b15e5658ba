import { DeliveryLanes, type QueuedDelivery } from './delivery-lanes.ts';

const LIMITS = { places: 8, perLane: 2, waitingPerLane: 3 };

/** What was sent, and how each of it is ended. */
function start(limits = LIMITS) {
  const under = new Map<string, () => void>();
  const sent: string[] = [];
  const lanes = new DeliveryLanes(limits, ({ id }) => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    sent.push(id);
    under.set(id, () => resolve(undefined));
    return promise.then(() => undefined);
  });
  const end = async (id: string) => {
    under.get(id)?.();
    for (let i = 0; i < 5; i++) await Promise.resolve();
  };
  return { lanes, sent, end };
}

const parcel = (id: string, lane: string, owner = lane): QueuedDelivery => ({ id, lane, owner });

describe('DeliveryLanes', () => {
  it('sends few at once to one lane, whatever waits there, and the others at once', () => {
    const { lanes, sent } = start();
    for (let i = 1; i <= 5; i++) expect(lanes.enqueue(parcel(`slow ${i}`, 'slow'))).toBe(true);
    expect(lanes.enqueue(parcel('slow 6', 'slow'))).toBe(false);
    expect(lanes.enqueue(parcel('fast 1', 'fast'))).toBe(true);
    expect(sent).toEqual(['slow 1', 'slow 2', 'fast 1']);
  });

  it('continues with waiting deliveries in order when a place is free', async () => {
    const { lanes, sent, end } = start();
    for (let i = 1; i <= 4; i++) lanes.enqueue(parcel(`${i}`, 'one'));
    await end('2');
    await end('1');
    expect(sent).toEqual(['1', '2', '3', '4']);
  });

  it('accepts the same delivery once, and again after it was sent', async () => {
    const { lanes, sent, end } = start();
    lanes.enqueue(parcel('1', 'one'));
    lanes.enqueue(parcel('1', 'one'));
    expect(sent).toEqual(['1']);
    await end('1');
    lanes.enqueue(parcel('1', 'one'));
    expect(sent).toEqual(['1', '1']);
  });

  it('leaves places for others, however many lanes one owner has', () => {
    const { lanes, sent } = start();
    for (let i = 0; i < 20; i++) lanes.enqueue(parcel(`attack ${i}`, `host ${i}`, 'attacker'));
    expect(sent).toHaveLength(4);
    lanes.enqueue(parcel('mine', 'my host', 'me'));
    expect(sent.at(-1)).toBe('mine');
  });

  it('forgets what waits, not what is being sent', async () => {
    const { lanes, sent, end } = start();
    for (let i = 1; i <= 4; i++) lanes.enqueue(parcel(`${i}`, 'one'));
    lanes.clear();
    await end('1');
    expect(sent).toEqual(['1', '2']);
  });
});
