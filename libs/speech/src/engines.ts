import { SPEECH_LANGUAGES, type SpeechLanguage } from '@platform/contracts';

/** The engines of the provider, for audio with 16 kHz. */
const ENGINES: Record<SpeechLanguage, string> = {
  'zh-CN': '16k_zh',
  'zh-TW': '16k_zh-TW',
  'en-US': '16k_en',
  'ja-JP': '16k_ja',
  'ko-KR': '16k_ko',
  'es-ES': '16k_es',
  'fr-FR': '16k_fr',
  'de-DE': '16k_de',
  'ru-RU': '16k_ru',
};

/** The provider's SDK does not list the engines of these languages for sentences. Accounts may have them. */
const UNDOCUMENTED: readonly string[] = ['zh-TW', 'ru-RU'];

const DEFAULT_ENGINE = ENGINES['zh-CN'];

/** The engine for a language. A configured engine type applies to the default language. */
export function findEngine(
  language: string,
  { engineType, defaultLanguage }: { engineType?: string; defaultLanguage: string },
): { engine: string; warning: string | null } {
  if (language === defaultLanguage && engineType !== undefined) return { engine: engineType, warning: null };
  if (isLanguage(language)) {
    const warning = UNDOCUMENTED.includes(language)
      ? `The provider does not document an engine for ${language}; ${ENGINES[language]} was used`
      : null;
    return { engine: ENGINES[language], warning };
  }
  const known = SPEECH_LANGUAGES.join(', ');
  return {
    engine: engineType ?? (isLanguage(defaultLanguage) ? ENGINES[defaultLanguage] : DEFAULT_ENGINE),
    warning: `The language ${language} is not one of ${known}; the default engine was used`,
  };
}

function isLanguage(language: string): language is SpeechLanguage {
  return (SPEECH_LANGUAGES as readonly string[]).includes(language);
}
