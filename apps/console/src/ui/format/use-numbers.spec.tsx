import { afterEach, beforeAll, expect, it } from '@jest/globals';
import { cleanup, renderHook } from '@testing-library/react';
import { startI18n } from '../../i18n.ts';
import { useNumbers } from './use-numbers.ts';

beforeAll(startI18n);
afterEach(cleanup);

it('calls the cost of tokens without a price unknown, and no other', () => {
  const { charged } = renderHook(useNumbers).result.current;
  expect([charged(null), charged(0), charged(0.25)]).toEqual(['unknown', '$0', '$0.25']);
  expect([charged(0, 12), charged(0, 0), charged(0.25, 12)]).toEqual(['unknown', '$0', '$0.25']);
});
