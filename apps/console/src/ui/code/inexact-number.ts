/** A number in a JSON text that would become another one. */
export interface InexactNumber {
  /** Such as `orders[0].id`; empty if the text is the number. */
  path: string;
  /** What it would become; Infinity if it is too large. */
  becomes: number;
}

/** Without any of these, all numbers are exact: 16 characters of a number, or an exponent of two digits. */
const MAY_BE_INEXACT = /[\d.eE+-]{16}|[eE][+-]?\d\d/;
const TOKEN = /"(?:[^"\\]+|\\.)*"|[[\]{},:]|-?\d[\d.eE+-]*/g;

/**
 * Finds the first number of a valid JSON text that would become another one, by the rule of the service, which can only
 * check what it is sent. The text is read, because the reviver of JSON.parse sees the digits only in newer browsers.
 */
export function findInexactNumber(json: string): InexactNumber | null {
  if (!MAY_BE_INEXACT.test(json)) return null;
  // The index of the current item of each open array, and the current key of each open object.
  const path: (number | string)[] = [];
  let text = '';
  for (const [token] of json.matchAll(TOKEN)) {
    const inside = path.at(-1);
    if (token.startsWith('"')) text = token;
    else if (token === '[') path.push(0);
    else if (token === '{') path.push('');
    else if (token === ']' || token === '}') path.pop();
    else if (token === ':') path[path.length - 1] = text;
    else if (token === ',') path[path.length - 1] = typeof inside === 'number' ? inside + 1 : '';
    else if (isInexact(token)) return { path: formatPath(path), becomes: Number(token) };
  }
  return null;
}

/** Whether a number would become another one. Fractions are rounded, as everywhere. */
export function isInexact(number: string): boolean {
  const stored = Number(number);
  if (Number.isNaN(stored)) return false;
  if (!Number.isFinite(stored) || /^0[xob]/i.test(number.trim())) return !Number.isSafeInteger(stored);
  const [entered, kept] = [readDigits(number.trim()), readDigits(String(stored))];
  return entered.exponent >= 0 && (entered.digits !== kept.digits || entered.exponent !== kept.exponent);
}

/** The digits of a decimal number without zeros at their ends, and the power of ten that they are multiplied with. */
function readDigits(number: string): { digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = number.toLowerCase().replace(/^[-+]/, '').split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = (whole + fraction).replace(/^0+/, '');
  let length = all.length;
  while (length > 0 && all[length - 1] === '0') length--;
  if (length === 0) return { digits: '', exponent: 0 };
  return { digits: all.slice(0, length), exponent: Number(power) - fraction.length + (all.length - length) };
}

function formatPath(path: readonly (number | string)[]): string {
  const parts = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(JSON.parse(part))}`));
  return parts.join('').replace(/^\./, '');
}
