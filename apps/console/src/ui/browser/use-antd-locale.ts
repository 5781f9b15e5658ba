import en from 'antd/locale/en_US';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Language } from '../../i18n.ts';

type AntdLocale = typeof en;

const others: Record<Exclude<Language, 'en'>, () => Promise<{ default: AntdLocale }>> = {
  'zh-CN': () => import('antd/locale/zh_CN'),
};

/** The texts of the component library in the current language. */
export function useAntdLocale(): AntdLocale {
  const { i18n } = useTranslation();
  const language = i18n.language as Language;
  const [locale, setLocale] = useState(en);
  useEffect(() => {
    if (language === 'en') {
      setLocale(en);
      return;
    }
    let isCurrent = true;
    void others[language]().then((loaded) => {
      if (isCurrent) setLocale(loaded.default);
    });
    return () => {
      isCurrent = false;
    };
  }, [language]);
  return locale;
}
