import fc from 'fast-check';
import { Line } from './line.ts';

it('keeps the order of its items, whichever leave', () => {
  const step = fc.oneof(fc.constantFrom('push' as const, 'unshift' as const, 'shift' as const), fc.nat(20));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const line = new Line<number>();
      const model: number[] = [];
      const removers = new Map<number, () => void>();
      for (const [i, one] of steps.entries()) {
        if (one === 'push' || one === 'unshift') {
          removers.set(i, line[one](i));
          model[one](i);
          continue;
        }
        const item = one === 'shift' ? model[0] : model[one];
        if (item === undefined) continue;
        removers.get(item)?.();
        // Once more: it has no effect.
        removers.get(item)?.();
        model.splice(model.indexOf(item), 1);
        expect([line.first, line.size]).toEqual([model[0] ?? null, model.length]);
      }
      const rest: number[] = [];
      for (let item = line.first; item !== null; item = line.first) {
        rest.push(item);
        removers.get(item)?.();
      }
      expect(rest).toEqual(model);
    }),
  );
});
