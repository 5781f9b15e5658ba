import { cpuMsOf } from '../../../e2e/harness/cpu-time.ts';
import { FileContent, readFiles } from './http-request-files.ts';

const BINARY = { type: 'string', format: 'binary' };
const NULL = { type: 'null' };
const nullable = (schema: object) => ({ anyOf: [schema, NULL] });

it('reads files that can also be null, as FastAPI declares optional uploads', async () => {
  const properties = {
    one: nullable(BINARY),
    many: { oneOf: [NULL, { type: 'array', items: BINARY }] },
    text: { anyOf: [{ type: 'string' }, BINARY] },
  };
  const bindings = Object.keys(properties).map((port) => ({ port, in: 'body', name: port }));
  const method = { bodyMediaType: 'multipart/form-data', inputSchema: { properties }, bindings };
  const file = new FileContent(Buffer.from('hi'), 'text/plain');
  const readAttachment = () => Promise.resolve({ mime: 'text/plain', data: Buffer.from('hi') });
  const input = { one: 'attachment:a', many: ['attachment:a'], text: 'attachment:a' };
  const { values, problems } = await readFiles(method, input, readAttachment);
  expect(problems).toEqual([]);
  expect(values).toEqual({ one: file, many: [file], text: 'attachment:a' });
  expect((await readFiles(method, { one: null, many: null }, readAttachment)).values).toEqual({
    one: null,
    many: null,
  });
  const whole = {
    bodyMediaType: 'multipart/form-data',
    inputSchema: { properties: { body: nullable({ type: 'object', properties }) } },
    bindings: [{ port: 'body', in: 'body' }],
  };
  const body = { one: 'attachment:a' };
  expect((await readFiles(whole, { body }, readAttachment)).values).toEqual({ body: { one: file } });
});

it('finds out in linear time that a long text is no data URL', async () => {
  const method = {
    bodyMediaType: 'application/octet-stream',
    inputSchema: {},
    bindings: [{ port: 'body', in: 'body' }],
  };
  const body = `data:${'a'.repeat(4_000_000)}`;
  const spent = await cpuMsOf(async () => {
    const { problems } = await readFiles(method, { body }, undefined);
    expect(problems).toEqual(['input.body must be base64 or attachment:<id>']);
  });
  expect(spent).toBeLessThan(1_000);
});
