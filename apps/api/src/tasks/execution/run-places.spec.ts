import type { WaitingTask } from '../runs/run-queue.store.ts';
import { RunPlaces, type TaskPlaces } from './run-places.ts';

const task = (spaceId: string, ownerUserId: string, taskId: string, waiting = 1_000): WaitingTask => ({
  spaceId,
  ownerUserId,
  taskId,
  waiting,
});

const counts = (taken: readonly TaskPlaces[]) =>
  Object.fromEntries(taken.map(({ taskId, places }) => [taskId, places.length]));

describe('RunPlaces', () => {
  it('shares places among spaces first, then among the owners of a space, then among their tasks', () => {
    const places = new RunPlaces(1_000);
    const waiting = [
      task('a', 'ada', '1'),
      task('a', 'ada', '2'),
      task('a', 'bob', '3'),
      task('b', 'eve', '4'),
    ];
    expect(counts(places.take(waiting, 16))).toEqual({ 1: 2, 2: 2, 3: 4, 4: 8 });
  });

  it('gives no more places than runs wait', () => {
    const waiting = [task('a', 'ada', '1', 2), task('b', 'bob', '2', 3)];
    expect(counts(new RunPlaces(100).take(waiting, 64))).toEqual({ 1: 2, 2: 3 });
    expect(waiting).toEqual([task('a', 'ada', '1', 2), task('b', 'bob', '2', 3)]);
  });

  it('leaves room for the next space and the next owner, whatever the others hold', () => {
    const places = new RunPlaces(400);
    expect(counts(places.take([task('a', 'ada', '1')], 1_000))).toEqual({ 1: 100 });
    expect(counts(places.take([task('a', 'ada', '2')], 1_000))).toEqual({});
    expect(counts(places.take([task('a', 'bob', '3')], 1_000))).toEqual({ 3: 50 });
    expect(counts(places.take([task('b', 'eve', '4')], 1_000))).toEqual({ 4: 63 });
    for (let i = 0; i < 4; i++)
      expect(places.take([task(`c${i}`, 'x', 'y')], 1_000)[0]?.places.length).toBeGreaterThan(10);
  });

  it('gives a place that is left to whoever waits', () => {
    const places = new RunPlaces(4);
    const [held] = places.take([task('a', 'ada', '1')], 64);
    expect(held?.places).toHaveLength(1);
    expect(places.take([task('a', 'ada', '1')], 64)).toEqual([]);
    for (const leave of held?.places ?? []) {
      leave();
      leave();
    }
    expect(counts(places.take([task('a', 'ada', '1')], 64))).toEqual({ 1: 1 });
  });

  it('gives a run with large inputs more of them, which are places of its owner', () => {
    const places = new RunPlaces(40);
    const [held] = places.take([task('a', 'ada', '1')], 1);
    const leave = places.extend({ spaceId: 'a', ownerUserId: 'ada' }, 1_000);
    expect(places.take([task('a', 'ada', '2')], 64)).toEqual([]);
    expect(counts(places.take([task('b', 'bob', '3')], 5))).toEqual({ 3: 5 });
    leave();
    leave();
    expect(counts(places.take([task('a', 'ada', '2')], 5))).toEqual({ 2: 5 });
    expect(held?.places).toHaveLength(1);
  });

  it('works with one place', () => {
    expect(counts(new RunPlaces(1).take([task('a', 'ada', '1'), task('b', 'bob', '2')], 64))).toEqual({
      1: 1,
    });
  });
});
