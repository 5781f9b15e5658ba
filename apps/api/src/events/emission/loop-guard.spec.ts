import fc from 'fast-check';
import { MAX_DEPTH, type Lineage } from '../../tasks/runs/lineage.ts';
import { guardLoop, pathEntry, type Causation } from './loop-guard.ts';

const event = (name: string, recursionLimit = 1) => ({ applicationId: 'app', name, recursionLimit });

/** The lineage of a run that the event starts. */
const lineageOf = (causation: Causation, envelopeId: string): Lineage => ({
  envelopeId,
  rootId: causation.rootId ?? envelopeId,
  depth: causation.depth,
  path: causation.path,
});

describe('the loop guard', () => {
  it('lets first emissions pass, also those of runs that no event started', () => {
    const first = { causationId: null, rootId: null, depth: 0, path: ['app/a.x'], reason: null };
    expect(guardLoop(null, event('a.x'))).toEqual(first);
    const manual = { envelopeId: null, rootId: null, depth: null, path: null };
    expect(guardLoop(manual, event('a.x'))).toEqual(first);
  });

  it('skips an event that its own chain contains, but not one of the same name of another application', () => {
    const first = guardLoop(null, event('a.x'));
    expect(guardLoop(lineageOf(first, 'e0'), event('a.x'))).toEqual({
      causationId: 'e0',
      rootId: 'e0',
      depth: 1,
      path: ['app/a.x', 'app/a.x'],
      reason: 'SAME_EVENT_LOOP',
    });
    const other = { applicationId: 'other', name: 'a.x', recursionLimit: 1 };
    expect(guardLoop(lineageOf(first, 'e0'), other).reason).toBeNull();
  });

  it('ends every chain: no event beyond its limit, nothing deeper than 8', () => {
    const names = fc.array(fc.constantFrom('a.x', 'b.x', 'c.x', 'd.x'), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(names, fc.integer({ min: 1, max: 12 }), (chain, limit) => {
        let lineage: Lineage | null = null;
        const passed: string[] = [];
        for (const [i, name] of chain.entries()) {
          const causation = guardLoop(lineage, event(name, limit));
          expect(causation.depth).toBe(i);
          expect(causation.path).toEqual([...passed, name].map((each) => pathEntry('app', each)));
          expect(causation.rootId).toBe(i === 0 ? null : 'e0');
          const before = passed.filter((each) => each === name).length;
          const reason = before >= limit ? 'SAME_EVENT_LOOP' : i > MAX_DEPTH ? 'DEPTH_LIMIT' : null;
          expect(causation.reason).toBe(reason);
          if (reason !== null) return;
          passed.push(name);
          lineage = lineageOf(causation, `e${i}`);
        }
        expect(passed.length).toBeLessThanOrEqual(MAX_DEPTH + 1);
      }),
    );
  });
});
