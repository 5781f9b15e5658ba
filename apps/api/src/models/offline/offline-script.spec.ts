import type { ModelMessage, ModelTool } from '../port/model-provider.ts';
import { cpuMsOf } from '../../../e2e/harness/cpu-time.ts';
import { callsMade, readScript, withoutDirectives } from './offline-script.ts';

const tools: ModelTool[] = ['shop__find', 'My_Shop_2__find', 'pick', 'ask_user'].map((name) => ({
  name,
  description: '',
  parameters: {},
}));
const find = (json = '{}') => ({ name: 'shop__find', arguments: json });

describe('readScript', () => {
  it.each([
    ['/call shop.find {"id": 1}', find('{"id": 1}')],
    ['/call shop.find', find()],
    ['/call shop.find {not json', find('{not json')],
    ['/call My Shop.2.find {}', { name: 'My_Shop_2__find', arguments: '{}' }],
    ['/local pick {"a":"{b}"}', { name: 'pick', arguments: '{"a":"{b}"}' }],
  ])('%s is a call', (line, call) => {
    expect(readScript(line, tools, 0)).toEqual([{ kind: 'calls', calls: [call] }]);
  });

  it.each([
    ['/ask Which? | red | blue', { options: [{ label: 'red' }, { label: 'blue' }] }],
    ['/ask Which? | red | other', { options: [{ label: 'red' }], allowOther: true }],
    ['/ask-many Which? | red | blue', { options: [{ label: 'red' }, { label: 'blue' }], multiple: true }],
  ])('%s is a question', (line, more) => {
    const expected = { question: 'Which?', multiple: false, allowOther: false, ...more };
    const [action] = readScript(line, tools, 0);
    expect(action?.kind).toBe('calls');
    const [call] = action?.kind === 'calls' ? action.calls : [];
    expect(call?.name).toBe('ask_user');
    expect(JSON.parse(call?.arguments ?? '')).toEqual(expected);
  });

  it('reads the rest in order, with bounds', () => {
    const text = 'Please:\n  /think 50\n/long 7\r\n/fail\n/think soon\n/long 1e9999\n/thinking 1\nsee /fail';
    expect(readScript(text, tools, 0)).toEqual([
      { kind: 'think', ms: 50 },
      { kind: 'long', words: 7 },
      { kind: 'fail' },
      { kind: 'think', ms: 0 },
      { kind: 'long', words: 1 },
    ]);
    expect(withoutDirectives(text)).toBe('Please:\n/thinking 1\nsee /fail');
  });

  it('makes calls on adjacent lines together, and those apart one after the other', () => {
    const text = '/call shop.find {"n":1}\n/call shop.find {"n":2}\n\n/call shop.find {"n":3}';
    expect(readScript(text, tools, 0)).toEqual([
      { kind: 'calls', calls: [find('{"n":1}'), find('{"n":2}')] },
      { kind: 'calls', calls: [find('{"n":3}')] },
    ]);
  });

  it('takes linear time, however many calls there are of however many tools', async () => {
    const many = Array.from({ length: 20_000 }, (_, i) => ({
      name: `a${i}`,
      description: '',
      parameters: {},
    }));
    const spent = await cpuMsOf(() =>
      expect(readScript('/local z\n'.repeat(20_000), many, 0)).toHaveLength(20_000),
    );
    expect(spent).toBeLessThan(700);
  });

  it('lets a tool below a question wait for the answer', () => {
    const text = '/call shop.find\n/ask A? | x\n/ask B? | y\n/call shop.find';
    const sizes = readScript(text, tools, 0).map((action) => action.kind === 'calls' && action.calls.length);
    expect(sizes).toEqual([3, 1]);
  });

  it('goes on behind what was answered', () => {
    const text = '/think 1\n/call shop.find {"n":1}\n/long 2\n/call shop.find {"n":2}\n/long 3';
    expect(readScript(text, tools, 1)).toEqual([
      { kind: 'long', words: 2 },
      { kind: 'calls', calls: [find('{"n":2}')] },
      { kind: 'long', words: 3 },
    ]);
    expect(readScript(text, tools, 2)).toEqual([{ kind: 'long', words: 3 }]);
  });

  it('says of a tool that it is not offered', () => {
    const text = '/call shop.sell {}\n/call shop.find';
    expect(readScript(text, tools, 0)).toEqual([
      { kind: 'say', text: 'The tool shop__sell is not offered to me.' },
      { kind: 'calls', calls: [find()] },
    ]);
  });
});

describe('callsMade', () => {
  it('counts since the last message of the user', () => {
    const step = (count: number): ModelMessage => ({
      role: 'assistant',
      text: '',
      toolCalls: Array.from({ length: count }, () => ({ id: 'c', name: 'n', arguments: '{}' })),
    });
    const user: ModelMessage = { role: 'user', parts: [] };
    expect(callsMade([user, step(4), user, step(2), { role: 'tool', callId: 'c', text: '' }, step(1)])).toBe(
      3,
    );
    expect(callsMade([user, step(4), user])).toBe(0);
  });
});
