import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import en from './locales/en.json' with { type: 'json' };

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}

/** To add a language, add a file in locales/, a line here, and the antd locale in app.tsx. */
const resources = { en: { translation: en } };

const KEPT = 'platform.language';

export function startI18n(): Promise<unknown> {
  const wanted = [localStorage.getItem(KEPT), ...navigator.languages];
  const language = wanted.find((tag) => tag !== null && tag in resources) ?? 'en';
  document.documentElement.lang = language;
  return i18next.use(initReactI18next).init({
    resources,
    lng: language,
    fallbackLng: 'en',
    interpolation: { escapeValue: false },
  });
}
