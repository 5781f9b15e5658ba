import { expect, it } from '@jest/globals';
import { jobQuery } from './job-query.ts';

it.each([
  { status: 'RUNNING', error: null, after: 200 },
  { status: 'INPUT_REQUIRED', error: null, after: 200 },
  { status: 'RUNNING', error: new Error('refused'), after: 5_000 },
  { status: 'COMPLETED', error: null, after: false },
])('asks for a job that is $status again after $after ms, after an error: $error', (given) => {
  const { status, error, after } = given;
  const refetchInterval = jobQuery('j-1').refetchInterval as unknown as (query: object) => unknown;
  expect(refetchInterval({ state: { data: { job: { status } }, error } })).toBe(after);
});
