import { expect, it } from '@jest/globals';
import type { CreateToolRequest, Tool, ToolMethodRequest } from '@platform/contracts';
import { addMethods, importTool, splitMethods } from './import-tool.ts';

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
  const outcome = await importTool(tools, TOOL, methods);
  expect(calls).toEqual([
    ['create', 'Pets', ['a']],
    ['add', 't', ['b']],
    ['add', 't', ['c']],
  ]);
  expect(outcome).toMatchObject({ tool: { id: 't' }, refused: [], error: new Error('no') });
  expect(names(outcome.rest)).toEqual(['c']);
  const retried = await addMethods(
    { addMethods: () => Promise.resolve(outcome.tool) },
    outcome.tool,
    outcome.rest,
  );
  expect(retried).toMatchObject({ rest: [], error: null });
});

it('stores the others if some methods are refused, and says which and why', async () => {
  const sent: (string[] | undefined)[] = [];
  const tools = {
    create: ({ methods }: CreateToolRequest) => {
      sent.push(methods?.map(({ name }) => name));
      const problems = (methods ?? []).flatMap(({ name }, i) =>
        name.startsWith('bad') ? [`methods[${i}].path must begin with /; with a semicolon`] : [],
      );
      return problems.length > 0
        ? Promise.reject(new Error(problems.join('; ')))
        : Promise.resolve({ id: 't' } as Tool);
    },
    addMethods: () => Promise.reject(new Error('not needed')),
  };
  const methods = ['a', 'bad1', 'b', 'bad2'].map((name) => method(name));
  const { refused, rest } = await importTool(tools, TOOL, methods);
  expect(sent).toEqual([
    ['a', 'bad1', 'b', 'bad2'],
    ['a', 'b'],
  ]);
  expect(refused).toEqual(
    ['bad1', 'bad2'].map((name) => ({ name, reason: 'path must begin with /; with a semicolon' })),
  );
  expect(rest).toEqual([]);
});

it('creates no tool if something else is wrong', async () => {
  const tools = {
    create: () => Promise.reject(new Error('name must be unique')),
    addMethods: () => Promise.reject(new Error('not needed')),
  };
  await expect(importTool(tools, TOOL, [method('a')])).rejects.toThrow('name must be unique');
});
