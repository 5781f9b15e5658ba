import type { EventFilter } from '@platform/contracts';
import '../../tasks/child-runs/task.action.ts';
import { findBreakage } from './schema-breakage.ts';

const schema = {
  type: 'object',
  properties: {
    amount: { type: 'integer' },
    state: { enum: ['open', 'paid'] },
    note: { type: ['string', 'null'] },
  },
};

const by = (filter: EventFilter | null) => ({ filter, debounce: null, batch: null });

describe('findBreakage', () => {
  it('says that the event is gone', () => {
    expect(findBreakage(by(null), null, undefined)).toBe('the new version does not declare the event');
  });

  it('accepts a subscription without a filter, and filters whose values the schema allows', () => {
    expect(findBreakage(by(null), null, schema)).toBeNull();
    expect(findBreakage(by({ amount: 5, state: ['open', 'gone'], note: null }), null, schema)).toBeNull();
  });

  it('names the field that the schema does not have', () => {
    expect(findBreakage(by({ total: 5 }), null, schema)).toBe(
      'the filter names "total", which the new schema does not have',
    );
    expect(findBreakage(by({ constructor: 5 }), null, schema)).toContain('"constructor"');
  });

  it.each([
    [{ amount: '5' }],
    [{ amount: 1.5 }],
    [{ state: 'gone' }],
    [{ state: ['gone', 'lost'] }],
    [{ note: 3 }],
  ])('reports values that the schema does not allow: %j', (filter) => {
    expect(findBreakage(by(filter), null, schema)).toContain('can never match');
  });

  it('does not judge schemas that are open', () => {
    expect(findBreakage(by({ total: 5 }), null, true)).toBeNull();
    expect(findBreakage(by({ total: 5 }), null, { type: 'object' })).toBeNull();
    expect(findBreakage(by({ total: 5 }), null, { ...schema, anyOf: [{ required: ['total'] }] })).toBeNull();
  });

  it('names what the task could not read', () => {
    const closed = { ...schema, additionalProperties: false };
    const workflow = (text: string) => ({
      steps: [{ id: 'a', kind: 'task', taskId: 'b', inputs: { text }, wait: true }] as never,
    });
    const findIn = (text: string) => findBreakage(by(null), workflow(text), closed);
    expect(findIn('{{trigger.payload.amount}}')).toBeNull();
    expect(findIn('{{trigger.payload.amuont}}')).toBe(
      'workflow.steps.0.inputs has {{trigger.payload.amuont}}, but the event has no field amuont (did you mean amount?)',
    );
  });
});
