import { afterEach, expect, it } from '@jest/globals';
import i18next from 'i18next';
import { chooseLanguage, findLanguage, loadAutomationTexts, startI18n } from './i18n.ts';

afterEach(() => localStorage.clear());

it.each([
  ['zh-Hans-SG', 'zh-CN'],
  ['zh', 'zh-CN'],
  ['en-GB', 'en'],
  ['EN', 'en'],
  ['de', undefined],
  ['zhx', undefined],
  ['', undefined],
  [null, undefined],
])('%p is shown as %p', (tag, language) => {
  expect(findLanguage(tag)).toBe(language);
});

it('keeps the chosen language, and loads the texts of pages that asked for them', async () => {
  const early = loadAutomationTexts();
  await startI18n();
  await early;
  expect([i18next.language, i18next.t('overview.title')]).toEqual(['en', 'Overview']);
  await chooseLanguage('zh-CN');
  expect([i18next.t('overview.title'), document.documentElement.lang]).toEqual(['概览', 'zh-CN']);
  expect(i18next.t('tasks.steps', { count: 1 })).toBe('1 个步骤');
  await startI18n();
  expect(i18next.language).toBe('zh-CN');
});
