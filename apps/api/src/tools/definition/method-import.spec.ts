import { readServerTool } from '../mcp-client/server-tool.ts';
import { importMethod, mergeMethod } from './method-import.ts';

function offer(annotations: object) {
  const tool = readServerTool({ name: 'pay', inputSchema: { type: 'object' }, annotations });
  if (typeof tool === 'string') throw new Error(tool);
  return tool;
}

it.each([
  ['changes nothing', { readOnlyHint: true }],
  ['has its effect once', { idempotentHint: true }],
])('calls of a method that %s are repeated, until its server says otherwise', (_, annotations) => {
  const method = importMethod(offer(annotations), 'pay');
  expect(method.retry.attempts).toBe(2);
  const merged = mergeMethod(method, offer({}), false);
  expect([merged.acts, merged.retry.attempts]).toEqual([true, 0]);
  expect(mergeMethod(merged, offer(annotations), false).retry).toEqual(method.retry);
  const edited = { ...method, retry: { attempts: 5, backoffMs: 100 } };
  expect(mergeMethod(edited, offer({}), false).retry).toEqual(edited.retry);
});
