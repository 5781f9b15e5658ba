import { cpuMsOf } from '../../../e2e/harness/cpu-time.ts';
import { readFiles } from './http-request-files.ts';

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
