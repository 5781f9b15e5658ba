import { PassThrough } from 'node:stream';
import { pinoHttp } from 'pino-http';
import { QueryFailedError } from 'typeorm';
import { cpuMsOf } from '../../../e2e/harness/cpu-time.ts';
import { loggedError, loggedLine } from './log-lines.ts';
import { logOptions } from './logging.module.ts';

const CANARY = 'the canary of a prompt';

/** What the logger of the service writes. */
function written(log: (logger: ReturnType<typeof pinoHttp>['logger']) => void): string {
  const out = new PassThrough();
  log(pinoHttp(logOptions('debug'), out).logger);
  return String(out.read() ?? '');
}

function failedQuery(): QueryFailedError {
  const driverError = Object.assign(new Error('null value in column "x" violates not-null constraint'), {
    code: '23502',
    detail: `Failing row contains (1, ${CANARY}).`,
    where: `unnamed portal parameter $1 = '${CANARY}'`,
    table: 'turn_step',
    column: 'x',
  });
  return new QueryFailedError(
    'insert into turn_step (x)\n  values ($1)',
    [CANARY, Buffer.from(CANARY)],
    driverError,
  );
}

describe('the log', () => {
  it.each([
    ['as err', (error: Error) => ({ err: error, turn: 1 })],
    ['under another name', (error: Error) => ({ failure: error })],
    ['as the cause of another', (error: Error) => ({ err: new Error('x', { cause: error }) })],
    ['as one of many', (error: Error) => ({ err: new AggregateError([error], 'x') })],
    ['alone', (error: Error) => error],
  ])('tells a failed statement without its values: %s', (_, fields) => {
    const line = written((logger) => logger.error(fields(failedQuery()), 'Failed'));
    expect(line).not.toContain(CANARY);
    expect(line).toContain('"code":"23502"');
    expect(line).toContain('"table":"turn_step"');
    expect(line).toContain('insert into turn_step (x) values ($1)');
    expect(JSON.parse(line)).toMatchObject({ msg: 'Failed', level: 50 });
  });

  it('does not repeat the data that a statement or a parser failed of', () => {
    const driverError = Object.assign(new Error(`invalid input syntax for type uuid: "${CANARY} "x"`), {
      code: '22P02',
    });
    expect(loggedError(new QueryFailedError('select $1', [], driverError))).toMatchObject({
      message: 'invalid input syntax for type uuid: "…"',
    });
    const parsing: unknown = (() => {
      try {
        return JSON.parse(CANARY) as unknown;
      } catch (error) {
        return error;
      }
    })();
    expect(JSON.stringify(loggedError(parsing))).not.toContain('canary');
  });

  it('leaves out what an error carries beside its plain facts', () => {
    const error = Object.assign(new Error('x'), {
      headers: { authorization: CANARY },
      request: { body: CANARY },
      options: CANARY,
      status: 500,
    });
    const logged = loggedError(error);
    expect(JSON.stringify(logged)).not.toContain(CANARY);
    expect(logged).toMatchObject({
      type: 'Error',
      message: 'x',
      status: 500,
      stack: expect.stringContaining(' at '),
    });
  });

  it.each([
    'pk_0123456789abcdef_secretsecret',
    'app_0123456789abcdef',
    'sk-proj-0123456789abcdef',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
    'mcp_eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
  ])('masks keys wherever they stand: %s', (key) => {
    const line = written((logger) => {
      logger.info({ path: `/api/agents/${key}/chat`, err: new Error(`Not known: ${key}`) }, `Key ${key}`);
    });
    expect(line).not.toContain(key.slice(4, 20));
    expect(JSON.parse(line)).toMatchObject({ path: '/api/agents/[secret]/chat', msg: 'Key [secret]' });
  });

  it('masks credentials of headers and addresses', () => {
    const line = written((logger) => {
      logger.info('Authorization: Bearer abc.def and postgres://user:hidden@host:5432/db');
      logger.info('The secret whsec_MfKQ9r8GKYqr/TwjUPD8+ILPZIo2LaLaSw== of webhooks');
    });
    expect(line).toContain('The secret [secret] of webhooks');
    expect(line).toContain('Bearer [secret] and postgres://user:[secret]@host:5432/db');
    expect(loggedLine('bad Bearer Bearer  abc.def, and abc')).toBe('bad Bearer Bearer  [secret] and abc');
  });

  it('masks long lines in linear time', async () => {
    const line = `Bearer${' '.repeat(16_000)}`;
    const spent = await cpuMsOf(() => {
      for (let i = 0; i < 40; i++) loggedLine(line);
    });
    expect(spent).toBeLessThan(1_000);
  });

  it('has lines of bounded length, which are JSON all the same', () => {
    for (const fields of [
      { text: 'x'.repeat(4_000_000), turn: 7 },
      { texts: Array.from({ length: 10_000 }, () => 'x'.repeat(500)) },
    ]) {
      const line = written((logger) => logger.info(fields, 'Long'));
      expect(line.length).toBeLessThan(20_000);
      expect(JSON.parse(line)).toMatchObject({ msg: 'Long', truncated: true });
    }
  });
});
