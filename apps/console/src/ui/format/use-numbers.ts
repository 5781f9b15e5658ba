import { useTranslation } from 'react-i18next';

/** Formats numbers for the current language. Prices are in US dollars; small costs keep three significant digits. */
export function useNumbers(): {
  whole: (value: number) => string;
  cost: (value: number) => string;
  /** What was charged. Null: the model has no price. For tokens of a turn, zero means the same. */
  charged: (value: number | null, tokensOfTurn?: number) => string;
} {
  const { t, i18n } = useTranslation();
  const whole = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 0 });
  const money = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const;
  const large = new Intl.NumberFormat(i18n.language, money);
  const small = new Intl.NumberFormat(i18n.language, { ...money, maximumSignificantDigits: 3 });
  const cost = (value: number) => (Math.abs(value) < 1 ? small : large).format(value);
  return {
    whole: (value) => whole.format(value),
    cost,
    charged: (value, tokensOfTurn = 0) =>
      value === null || (value === 0 && tokensOfTurn > 0) ? t('figures.unpriced') : cost(value),
  };
}
