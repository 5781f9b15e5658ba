import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { isUnavailable, whileUnavailable } from './unavailable.ts';

const coded = (code: string, message = 'x') => Object.assign(new Error(message), { code });

describe('isUnavailable', () => {
  it.each([
    ['no connection', '08006'],
    ['too many connections', '53300'],
    ['a full disk', '53100'],
    ['a statement that took too long', '57014'],
    ['a shutdown', '57P01'],
    ['a crash', '57P02'],
    ['a start', '57P03'],
    ['a lock that was not given', '55P03'],
    ['a conflict of transactions', '40001'],
    ['a deadlock', '40P01'],
    ['a transaction left open', '25P03'],
    ['a server that only reads', '25006'],
    ['nobody at the address', 'ECONNREFUSED'],
    ['a connection reset', 'ECONNRESET'],
    ['no answer in time', 'ETIMEDOUT'],
    ['a full disk of our own', 'ENOSPC'],
  ])('is true of %s (%s), also within a failed query', (_, code) => {
    expect(isUnavailable(coded(code))).toBe(true);
    expect(isUnavailable(new QueryFailedError('select 1', [], coded(code)))).toBe(true);
  });

  it.each([
    'timeout exceeded when trying to connect',
    'Connection terminated',
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
    'Query read timeout',
    'timeout expired',
    'Cannot use a pool after calling end on the pool',
  ])('is true where the driver says: %s', (message) => {
    expect(isUnavailable(new Error(message))).toBe(true);
    expect(isUnavailable(new QueryFailedError('select 1', [], new Error(message)))).toBe(true);
  });

  it('is true where the connection broke under a transaction, and where no address answers', () => {
    expect(isUnavailable(new QueryRunnerAlreadyReleasedError())).toBe(true);
    expect(isUnavailable(new QueryRunnerProviderAlreadyReleasedError())).toBe(true);
    expect(isUnavailable(new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')]))).toBe(true);
  });

  it('is false of what is wrong with the statement or its data, and of everything else', () => {
    for (const code of ['23505', '22P02', '42601', '42P01', 'XX000']) {
      expect(isUnavailable(new QueryFailedError('select 1', [], coded(code)))).toBe(false);
    }
    for (const thrown of [
      new Error('x'),
      new Error('x', { cause: coded('ECONNREFUSED') }),
      null,
      'ECONNREFUSED',
    ])
      expect(isUnavailable(thrown)).toBe(false);
  });
});

describe('whileUnavailable', () => {
  const never = new AbortController().signal;

  it('tries again until the work is done', async () => {
    const failures = [coded('57P01'), new Error('Connection terminated unexpectedly')];
    const work = async () => {
      const failure = failures.shift();
      if (failure) throw failure;
      return 'done';
    };
    expect(await whileUnavailable(work, never)).toBe('done');
  });

  it('leaves every other failure as it is', async () => {
    const failure = coded('23505');
    await expect(whileUnavailable(() => Promise.reject(failure), never)).rejects.toBe(failure);
  });

  it('gives up in time, with what was wrong last', async () => {
    const failure = coded('57P01');
    await expect(whileUnavailable(() => Promise.reject(failure), undefined, 50)).rejects.toBe(failure);
  });

  it('ends with its signal', async () => {
    const over = new AbortController();
    const work = () => {
      over.abort(new Error('over'));
      return Promise.reject(coded('57P01'));
    };
    await expect(whileUnavailable(work, over.signal)).rejects.toThrow('over');
  });
});
