// Node.js runs this file in a process of its own, without compiling it: only types that can be removed are allowed.

/** What code can call: the constructors of `Intl`, and the methods of built-ins, which QuickJS has without locales. */
export const INTL = {
  DateTimeFormat: ['format', 'formatToParts', 'formatRange', 'resolvedOptions'],
  NumberFormat: ['format', 'formatToParts', 'resolvedOptions'],
  PluralRules: ['select', 'resolvedOptions'],
  RelativeTimeFormat: ['format', 'formatToParts', 'resolvedOptions'],
  ListFormat: ['format', 'formatToParts', 'resolvedOptions'],
  DisplayNames: ['of', 'resolvedOptions'],
  Collator: ['compare', 'resolvedOptions'],
};
export const LOCALIZED = {
  Date: ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'],
  Number: ['toLocaleString'],
  BigInt: ['toLocaleString'],
  String: ['localeCompare', 'toLocaleUpperCase', 'toLocaleLowerCase'],
};

/** The most formatters that are kept. Making one takes a hundred times as long as using it. */
const MAX_FORMATTERS = 100;
/** Used if the code names none, so that it does the same on every machine. */
const LOCALE = 'en-US';
const TIME_ZONE = 'UTC';

interface Localization {
  kind: string;
  locales: string | string[] | null;
  options: Record<string, unknown> | null;
  method: string;
  /** Times are numbers, and big integers texts. */
  args: unknown[];
}

type Methods = Record<string, (...args: unknown[]) => unknown>;

const formatters = new Map<string, Methods>();

/** Calls a method of `Intl` or of a built-in. Takes and returns JSON; throws like the method. */
export function localize(request: string): string {
  const call = JSON.parse(request) as Localization;
  const result = Object.hasOwn(INTL, call.kind) ? format(call) : localizeValue(call);
  return JSON.stringify(result ?? null);
}

function format({ kind, locales, options, method, args }: Localization): unknown {
  const key = JSON.stringify([kind, locales, options]);
  const formatter = formatters.get(key) ?? newFormatter(kind, locales, options);
  formatters.delete(key);
  formatters.set(key, formatter);
  const [oldest] = formatters.keys();
  if (formatters.size > MAX_FORMATTERS && oldest !== undefined) formatters.delete(oldest);
  return formatter[method]?.(...args);
}

function newFormatter(
  kind: string,
  locales: Localization['locales'],
  options: Localization['options'],
): Methods {
  type Constructor = new (locales: unknown, options: unknown) => Methods;
  const Formatter = (Intl as unknown as Record<string, Constructor>)[kind] as Constructor;
  return new Formatter(
    locales ?? LOCALE,
    kind === 'DateTimeFormat' ? withTimeZone(options) : (options ?? {}),
  );
}

function localizeValue({ kind, locales, options, method, args: [value, ...args] }: Localization): unknown {
  const receiver = receiverOf(kind, value) as Methods;
  const settings = kind === 'Date' ? withTimeZone(options) : (options ?? undefined);
  return receiver[method]?.(...args, locales ?? LOCALE, settings);
}

function receiverOf(kind: string, value: unknown): unknown {
  if (kind === 'Date') return new Date(value as number);
  return kind === 'BigInt' ? BigInt(value as string) : value;
}

const withTimeZone = (options: Localization['options']) => ({ timeZone: TIME_ZONE, ...options });
