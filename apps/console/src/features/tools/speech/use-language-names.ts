import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

/** Returns a function that names a language, such as "English (United States) · en-US". */
export function useLanguageNames(): (code: string) => string {
  const { i18n } = useTranslation();
  const { language } = i18n;
  return useCallback(
    (code) => `${new Intl.DisplayNames(language, { type: 'language' }).of(code) ?? code} · ${code}`,
    [language],
  );
}
