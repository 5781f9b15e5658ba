import { mergeTexts } from './merge-texts.ts';
import type { ModelDelta } from './model-provider.ts';

const text = (value: string): ModelDelta => ({ type: 'text', text: value });
const reasoning = (value: string): ModelDelta => ({ type: 'reasoning', text: value });

describe('mergeTexts', () => {
  it('joins adjacent texts, and keeps the order of everything else', () => {
    const call: ModelDelta = { type: 'tool-call', index: 0, arguments: '{' };
    const deltas = [reasoning('a'), reasoning('b'), text('c'), text('d'), call, call, text('e')];
    expect([...mergeTexts(deltas)]).toEqual([reasoning('ab'), text('cd'), call, call, text('e')]);
    expect([...mergeTexts([])]).toEqual([]);
  });

  it('passes on what came before an error', () => {
    function* failing() {
      yield text('a');
      yield text('b');
      throw new Error('broke off');
    }
    const passed: ModelDelta[] = [];
    expect(() => {
      for (const delta of mergeTexts(failing())) passed.push(delta);
    }).toThrow('broke off');
    expect(passed).toEqual([text('ab')]);
  });
});
