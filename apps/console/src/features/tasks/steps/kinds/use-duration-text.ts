import { useTranslation } from 'react-i18next';
import { splitDuration } from './durations.ts';

/** Returns a function that writes milliseconds in the largest unit without a fraction, such as "36 hours". */
export function useDurationText(): (ms: number) => string {
  const { i18n } = useTranslation();
  return (ms) => {
    const { amount, unit } = splitDuration(ms);
    return new Intl.NumberFormat(i18n.language, { style: 'unit', unit, unitDisplay: 'long' }).format(amount);
  };
}
