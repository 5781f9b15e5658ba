import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import type automation from './locales/en.automation.json';
import type en from './locales/en.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en & typeof automation };
  }
}

/**
 * To add a language, add its files in locales/, lines here, and the antd locale in ui/use-antd-locale.ts. Only the texts of
 * the current language are loaded, and those of the automation pages only with these pages.
 */
const texts = {
  en: {
    base: () => import('./locales/en.json', { with: { type: 'json' } }),
    automation: () => import('./locales/en.automation.json', { with: { type: 'json' } }),
  },
  'zh-CN': {
    base: () => import('./locales/zh-CN.json', { with: { type: 'json' } }),
    automation: () => import('./locales/zh-CN.automation.json', { with: { type: 'json' } }),
  },
};

export type Language = keyof typeof texts;

/** The languages with their own names. */
export const LANGUAGES: Record<Language, string> = { en: 'English', 'zh-CN': '简体中文' };

const KEPT = 'platform.language';

/** The language that is shown or about to be shown; null before the start. */
let current: Language | null = null;
let usesAutomation = false;

export async function startI18n(): Promise<void> {
  const wanted = [localStorage.getItem(KEPT), ...navigator.languages];
  const language = wanted.map(findLanguage).find((found) => found !== undefined) ?? 'en';
  await i18next.use(initReactI18next).init({ lng: 'cimode', interpolation: { escapeValue: false } });
  await showLanguage(language);
}

export async function chooseLanguage(language: Language): Promise<void> {
  await showLanguage(language);
  localStorage.setItem(KEPT, language);
}

/** Loads the texts of events, tasks, and applications. The router can call it before i18n has started. */
export async function loadAutomationTexts(): Promise<void> {
  usesAutomation = true;
  if (current !== null) await addTexts(current, 'automation');
}

/** Returns the language for a tag such as `zh-Hans-SG` or `en-GB`. */
export function findLanguage(tag: string | null): Language | undefined {
  const [primary] = (tag ?? '').toLowerCase().split('-');
  if (primary === 'zh') return 'zh-CN';
  return primary === 'en' ? 'en' : undefined;
}

async function showLanguage(language: Language): Promise<void> {
  current = language;
  await Promise.all([addTexts(language, 'base'), usesAutomation && addTexts(language, 'automation')]);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}

async function addTexts(language: Language, part: 'base' | 'automation'): Promise<void> {
  const { default: translation } = await texts[language][part]();
  i18next.addResourceBundle(language, 'translation', translation, true, true);
}
