import { useTranslation } from 'react-i18next';

/** Formats numbers for the current language. Prices are in US dollars; small costs keep three significant digits. */
export function useNumbers(): { whole: (value: number) => string; cost: (value: number) => string } {
  const { i18n } = useTranslation();
  const whole = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 0 });
  const money = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const;
  const large = new Intl.NumberFormat(i18n.language, money);
  const small = new Intl.NumberFormat(i18n.language, { ...money, maximumSignificantDigits: 3 });
  return {
    whole: (value) => whole.format(value),
    cost: (value) => (Math.abs(value) < 1 ? small : large).format(value),
  };
}
