import { describe, expect, it } from '@jest/globals';
import { findItemReferences } from './item-references.ts';

describe('findItemReferences', () => {
  it.each([
    [{ type: 'item_reference', id: 'msg_1' }],
    [{ type: 'item_reference', id: 'msg_1', role: 'user', content: 'x' }],
    [{ id: 'msg_1' }],
    [{ type: null, id: 'msg_1', unknown: true }],
    [{ role: 'assistant', id: 'msg_1' }],
    [{ type: 'message', role: 'assistant', id: 'msg_1', content: [], status: 'completed' }],
    [{ type: 'reasoning', id: 'msg_1', summary: [] }],
    [
      {
        type: 'reasoning',
        id: 'msg_1',
        summary: [{ type: 'summary_text', text: 'x' }],
        encrypted_content: null,
      },
    ],
    [{ type: 'image_generation_call', id: 'msg_1', result: 'AAAA' }],
    [{ type: 'web_search_call', id: 'msg_1', status: 'completed' }],
    [{ type: 'unknown', id: 'msg_1' }],
  ])('finds an item that only its server knows: %j', (item) => {
    expect([...findItemReferences(['x', null, item, item])]).toEqual([['msg_1', 'input[3].id']]);
  });

  it.each([
    [{ role: 'user', content: 'Hi' }],
    [{ role: 'user', content: 'Hi', id: 'msg_1' }],
    [{ type: 'message', role: 'assistant', id: 'msg_1', content: [{ type: 'output_text', text: 'x' }] }],
    [{ type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '' }],
    [{ type: 'function_call_output', id: 'fco_1', call_id: 'c', output: '' }],
    [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' }],
    [{ type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'x' }] }],
    [{ type: 'reasoning', summary: [] }],
    [{ type: 'item_reference' }],
    [{ id: null }],
  ])('ignores an item that has its content, or no id: %j', (item) => {
    expect(findItemReferences([item]).size).toBe(0);
  });

  it('ignores an input that is a text', () => {
    expect(findItemReferences('item_reference').size).toBe(0);
    expect(findItemReferences(undefined).size).toBe(0);
  });

  it.each([[['msg_1']], [{ id: 'msg_1' }], [7]])('rejects an id that is no text: %j', (id) => {
    expect(() => findItemReferences([{ type: 'item_reference', id }])).toThrow(
      'input[0].id must be the id of an item',
    );
  });

  it('limits the number of references', () => {
    const input = Array.from({ length: 10_001 }, (_, i) => ({ id: `msg_${i}` }));
    expect(findItemReferences(input.slice(1)).size).toBe(10_000);
    expect(() => findItemReferences(input)).toThrow('at most 10000 items');
  });
});
