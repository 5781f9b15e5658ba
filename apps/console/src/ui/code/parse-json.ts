import type { TFunction } from 'i18next';
import { findInexactNumber, type InexactNumber } from './inexact-number.ts';

/**
 * Returns the value of a JSON text; undefined if there is none, or if a number in it would become another one, which
 * `getNumberProblem` describes.
 */
export function parseJson(text: string): unknown {
  const value = parse(text);
  return value === undefined || findInexactNumber(text) !== null ? undefined : value;
}

/** Returns the JSON object in a text, or undefined if `parseJson` finds none. */
export function parseJsonObject(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** As `parseJsonObject`, for schemas and what contains them: bounds such as that of int64 may become other numbers. */
export function parseSchema(text: string): Record<string, unknown> | undefined {
  const value = parse(text);
  return isObject(value) ? value : undefined;
}

export type JsonObjects = Record<string, unknown> | Record<string, unknown>[];

/** Returns the JSON object in a text, or the array of objects, or undefined if `parseJson` finds neither. */
export function parseJsonObjects(text: string): JsonObjects | undefined {
  const value = parseJson(text);
  if (isObject(value)) return value;
  return Array.isArray(value) && value.every(isObject) ? value : undefined;
}

/** Says which number of a JSON text would become another one, and what to do; null if there is none. */
export function getNumberProblem(text: string, t: TFunction): string | null {
  const found = findInexact(text);
  if (found === null) return null;
  const { path, becomes } = found;
  if (!Number.isFinite(becomes))
    return path === '' ? t('jsonNumbers.large') : t('jsonNumbers.largeAt', { path });
  const stored = String(becomes);
  return path === '' ? t('jsonNumbers.inexact', { stored }) : t('jsonNumbers.inexactAt', { path, stored });
}

/** Whether the text is JSON, with a number that would become another one. */
export function hasInexactNumber(text: string): boolean {
  return findInexact(text) !== null;
}

function findInexact(text: string): InexactNumber | null {
  return parse(text) === undefined ? null : findInexactNumber(text);
}

/** Undefined if the text is not JSON, which has no such value. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
