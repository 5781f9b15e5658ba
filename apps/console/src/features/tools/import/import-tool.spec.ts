import { expect, it } from '@jest/globals';
import type { CreateToolRequest, Tool, ToolMethodRequest } from '@platform/contracts';
import { importTool, PartialImportError, splitMethods } from './import-tool.ts';

const TOOL = { name: 'Pets', serverUrl: 'https://pets.example.com' };

const method = (name: string, description = ''): ToolMethodRequest => ({
  name,
  description,
  httpMethod: 'get',
  path: `/${name}`,
  inputSchema: { type: 'object' },
});

it('splits methods by size and keeps their order', () => {
  const requests = ['a', 'b', 'c'].map((name) => method(name));
  const one = JSON.stringify(requests[0]).length;
  const names = (most: number) => splitMethods(requests, most).map((batch) => batch.map(({ name }) => name));
  expect(names(one * 2)).toEqual([['a', 'b'], ['c']]);
  expect(names(1)).toEqual([['a'], ['b'], ['c']]);
  expect(names(one * 9)).toEqual([['a', 'b', 'c']]);
  expect(splitMethods([], 1)).toEqual([]);
});

it('creates the tool with the first methods and adds the others; a failure tells which tool exists', async () => {
  const large = 'x'.repeat(2_000_000);
  const methods = ['a', 'b', 'c'].map((name) => method(name, large));
  const calls: unknown[] = [];
  const names = (sent: ToolMethodRequest[] | null | undefined) => sent?.map(({ name }) => name);
  const tools = {
    create: (tool: CreateToolRequest) => {
      calls.push(['create', tool.name, names(tool.methods)]);
      return Promise.resolve({ id: 't' } as Tool);
    },
    addMethods: (id: string, sent: ToolMethodRequest[]) => {
      calls.push(['add', id, names(sent)]);
      return calls.length === 3 ? Promise.reject(new Error('no')) : Promise.resolve({ id } as Tool);
    },
  };
  const error: unknown = await importTool(tools, TOOL, methods).catch((reason: unknown) => reason);
  expect(calls).toEqual([
    ['create', 'Pets', ['a']],
    ['add', 't', ['b']],
    ['add', 't', ['c']],
  ]);
  expect(error).toBeInstanceOf(PartialImportError);
  expect((error as PartialImportError).tool.id).toBe('t');
});
