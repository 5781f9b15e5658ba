/** A decimal number without its sign: `digits`, which neither begin nor end in 0, times 10 to the power of `exponent`. */
export interface Decimal {
  /** Empty for zero. */
  digits: string;
  exponent: number;
}

/** Reads a number as JSON and JavaScript write it. Takes time linear in its text, whatever its exponent says. */
export function decimalOf(text: string): Decimal {
  const [mantissa = '', power = '0'] = text.toLowerCase().replace(/^[-+]/, '').split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = withoutLeadingZeros(whole + fraction);
  let length = all.length;
  while (length > 0 && all[length - 1] === '0') length--;
  if (length === 0) return { digits: '', exponent: 0 };
  return { digits: all.slice(0, length), exponent: Number(power) - fraction.length + (all.length - length) };
}

function withoutLeadingZeros(digits: string): string {
  let start = 0;
  while (digits[start] === '0') start++;
  return digits.slice(start);
}

/** Whether a number is a multiple of another as people write them: 19.99 is one of 0.01, although no double is 0.01. */
export function isMultipleOf(value: number, factor: number): boolean {
  if (!Number.isFinite(value) || !Number.isFinite(factor) || factor === 0) return false;
  if (Number.isSafeInteger(value) && Number.isSafeInteger(factor)) return value % factor === 0;
  const [dividend, divisor] = [decimalOf(String(value)), decimalOf(String(factor))];
  // Doubles have exponents from -324 to 308, so this is at most a few hundred digits.
  const exponent = Math.min(dividend.exponent, divisor.exponent);
  const scaled = ({ digits, exponent: own }: Decimal) =>
    BigInt(digits === '' ? 0 : digits) * 10n ** BigInt(own - exponent);
  return scaled(dividend) % scaled(divisor) === 0n;
}
