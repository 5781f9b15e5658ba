import { isObject } from '../../infra/runtime/json.ts';

/** What a server writes into a schema to receive a value in a header as well. */
const ANNOTATION = 'x-mcp-header';
/** RFC 9110. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];
/** They have values, not schemas. */
export const VALUES = ['const', 'default', 'enum', 'examples'];

/** Whether all annotations of an input are ones that the protocol allows. Clients must not use a tool with others. */
export function hasValidHeaders(schema: unknown): boolean {
  const names = new Set<string>();
  /** `isPlain`: only properties lead there. */
  const isValid = (part: unknown, isPlain: boolean): boolean => {
    if (Array.isArray(part)) return part.every((item) => isValid(item, false));
    if (!isObject(part)) return true;
    if (ANNOTATION in part) {
      const { [ANNOTATION]: name, type } = part;
      if (!isPlain || typeof name !== 'string' || !TOKEN.test(name) || !TYPES.includes(type)) return false;
      if (names.has(name.toLowerCase())) return false;
      names.add(name.toLowerCase());
    }
    return Object.entries(part).every(([key, value]) => {
      if (VALUES.includes(key)) return true;
      if (key === 'properties' && isObject(value))
        return Object.values(value).every((property) => isValid(property, isPlain));
      return isValid(value, false);
    });
  };
  return isValid(schema, true);
}
