import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { PlatformConnectionError, PlatformError } from '@platform/client';
import i18next from 'i18next';
import { chooseLanguage, startI18n } from '../../i18n.ts';
import { getErrorMessage, getProblems, translateCode } from './errors.ts';

const error = (code: string, message: string, status = 409) =>
  new PlatformError({ status, code, message, requestId: null, turnId: null, retryAfter: null });

beforeEach(startI18n);
afterEach(() => chooseLanguage('en'));

it('shows the sentence of the service, in other languages after what its code means', async () => {
  const taken = error('CONFLICT', 'name is taken: {{message}}');
  expect(getErrorMessage(taken, i18next.t)).toBe('name is taken: {{message}}');
  await chooseLanguage('zh-CN');
  expect(getErrorMessage(taken, i18next.t)).toBe('与当前状态冲突：name is taken: {{message}}');
  expect(getErrorMessage(error('OF_A_LATER_VERSION', 'Not yet'), i18next.t)).toBe('Not yet');
  expect(getErrorMessage(new Error('Ours'), i18next.t)).toBe('Ours');
});

it('has its own sentences for what the service cannot explain', async () => {
  const internal = error('SERVER_ERROR', 'Something went wrong on our side', 500);
  await chooseLanguage('zh-CN');
  const texts = ['服务内部出错。请稍后重试。', '无法连接服务。请检查网络后重试。'];
  const failures = [internal, new PlatformConnectionError('socket hang up')];
  expect(failures.map((failure) => getErrorMessage(failure, i18next.t))).toEqual(texts);
  expect(failures.map((failure) => translateCode(failure, 'x', i18next.t))).toEqual(['x', 'x']);
});

it('leaves the problems of fields as they are, so that their fields are found', async () => {
  await chooseLanguage('zh-CN');
  expect(getProblems(error('CONFLICT', 'name is taken; slug is taken'), i18next.t)).toEqual([
    'name is taken',
    'slug is taken',
  ]);
});
