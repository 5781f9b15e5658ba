import { useTranslation } from 'react-i18next';

/** Formats numbers for the current language. Prices are in US dollars; small costs keep three significant digits. */
export function useNumbers(): {
  whole: (value: number) => string;
  cost: (value: number) => string;
  /** What was charged. Zero may also mean that the model has no price, so it is no amount. Null: it has none. */
  charged: (value: number | null) => string;
} {
  const { i18n } = useTranslation();
  const whole = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 0 });
  const money = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const;
  const large = new Intl.NumberFormat(i18n.language, money);
  const small = new Intl.NumberFormat(i18n.language, { ...money, maximumSignificantDigits: 3 });
  const cost = (value: number) => (Math.abs(value) < 1 ? small : large).format(value);
  return {
    whole: (value) => whole.format(value),
    cost,
    charged: (value) => (value ? cost(value) : '–'),
  };
}
