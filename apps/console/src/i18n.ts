import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import type en from './locales/en.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}

/**
 * To add a language, add a file in locales/, a line here, and the antd locale in ui/use-antd-locale.ts. Texts of the
 * other languages are not loaded.
 */
const texts = {
  en: () => import('./locales/en.json', { with: { type: 'json' } }),
  'zh-CN': () => import('./locales/zh-CN.json', { with: { type: 'json' } }),
};

export type Language = keyof typeof texts;

/** The languages with their own names. */
export const LANGUAGES: Record<Language, string> = { en: 'English', 'zh-CN': '简体中文' };

const KEPT = 'platform.language';

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

/** Returns the language for a tag such as `zh-Hans-SG` or `en-GB`. */
export function findLanguage(tag: string | null): Language | undefined {
  const [primary] = (tag ?? '').toLowerCase().split('-');
  if (primary === 'zh') return 'zh-CN';
  return primary === 'en' ? 'en' : undefined;
}

async function showLanguage(language: Language): Promise<void> {
  const { default: translation } = await texts[language]();
  i18next.addResourceBundle(language, 'translation', translation);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}
