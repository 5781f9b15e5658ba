import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import type automation from './locales/en.automation.json';
import type en from './locales/en.json';
import type playground from './locales/en.playground.json';
import type samples from './locales/en.samples.json';
import type space from './locales/en.space.json';
import type tools from './locales/en.tools.json';
import type traces from './locales/en.traces.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: {
      translation: typeof en &
        typeof automation &
        typeof playground &
        typeof samples &
        typeof space &
        typeof tools &
        typeof traces;
    };
  }
}

/**
 * To add a language, add its files in locales/, lines here, and the antd locale in ui/browser/use-antd-locale.ts. Only the texts of
 * the current language are loaded, and those of the automation pages, the tools, and the traces only with these pages.
 */
const texts = {
  en: {
    base: () => import('./locales/en.json', { with: { type: 'json' } }),
    automation: () => import('./locales/en.automation.json', { with: { type: 'json' } }),
    playground: () => import('./locales/en.playground.json', { with: { type: 'json' } }),
    samples: () => import('./locales/en.samples.json', { with: { type: 'json' } }),
    space: () => import('./locales/en.space.json', { with: { type: 'json' } }),
    tools: () => import('./locales/en.tools.json', { with: { type: 'json' } }),
    traces: () => import('./locales/en.traces.json', { with: { type: 'json' } }),
  },
  'zh-CN': {
    base: () => import('./locales/zh-CN.json', { with: { type: 'json' } }),
    automation: () => import('./locales/zh-CN.automation.json', { with: { type: 'json' } }),
    playground: () => import('./locales/zh-CN.playground.json', { with: { type: 'json' } }),
    samples: () => import('./locales/zh-CN.samples.json', { with: { type: 'json' } }),
    space: () => import('./locales/zh-CN.space.json', { with: { type: 'json' } }),
    tools: () => import('./locales/zh-CN.tools.json', { with: { type: 'json' } }),
    traces: () => import('./locales/zh-CN.traces.json', { with: { type: 'json' } }),
  },
};

export type Language = keyof typeof texts;
type Part = 'automation' | 'playground' | 'samples' | 'space' | 'tools' | 'traces';

/** The languages with their own names. */
export const LANGUAGES: Record<Language, string> = { en: 'English', 'zh-CN': '简体中文' };

const KEPT = 'platform.language';

/** The language that is shown or about to be shown; null before the start. */
let current: Language | null = null;
const used = new Set<Part>();

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
export function loadAutomationTexts(): Promise<void> {
  return loadTexts('automation');
}

/** Loads the texts of the settings of a space. The router can call it before i18n has started. */
export function loadSpaceTexts(): Promise<void> {
  return loadTexts('space');
}

/** Loads the texts of the playground. The router can call it before i18n has started. */
export function loadPlaygroundTexts(): Promise<void> {
  return loadTexts('playground');
}

/** Loads the texts of the sample shop. */
export function loadSampleTexts(): Promise<void> {
  return loadTexts('samples');
}

/** Loads the texts of the tool pages. The router can call it before i18n has started. */
export function loadToolTexts(): Promise<void> {
  return loadTexts('tools');
}

/** Loads the texts of the pages about turns, and of the command menu. The router can call it before i18n has started. */
export function loadTraceTexts(): Promise<void> {
  return loadTexts('traces');
}

/** Returns the language for a tag such as `zh-Hans-SG` or `en-GB`. */
export function findLanguage(tag: string | null): Language | undefined {
  const [primary] = (tag ?? '').toLowerCase().split('-');
  if (primary === 'zh') return 'zh-CN';
  return primary === 'en' ? 'en' : undefined;
}

async function loadTexts(part: Part): Promise<void> {
  used.add(part);
  if (current !== null) await addTexts(current, part);
}

async function showLanguage(language: Language): Promise<void> {
  current = language;
  await Promise.all([addTexts(language, 'base'), ...[...used].map((part) => addTexts(language, part))]);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}

async function addTexts(language: Language, part: 'base' | Part): Promise<void> {
  const { default: translation } = await texts[language][part]();
  i18next.addResourceBundle(language, 'translation', translation, true, true);
}
