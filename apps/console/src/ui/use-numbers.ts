import { useTranslation } from 'react-i18next';

/** Formats numbers for the current language. Costs keep three significant digits. */
export function useNumbers(): { whole: (value: number) => string; cost: (value: number) => string } {
  const { i18n } = useTranslation();
  const whole = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 0 });
  const cost = new Intl.NumberFormat(i18n.language, { maximumSignificantDigits: 3 });
  return { whole: (value) => whole.format(value), cost: (value) => cost.format(value) };
}
