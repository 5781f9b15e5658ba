/** The parts of an entry that name what was changed, in this order. Names come first: ids are in the full details. */
const NAMES = ['name', 'title', 'email', 'event', 'identifier', 'version', 'prefix'];
const MAX_PARTS = 3;
const MAX_LENGTH = 120;

/** Returns one line about the details of an entry of the audit log. */
export function summarizeDetails(details: Record<string, unknown>): string {
  const { from, to, fields, change } = details;
  const parts = NAMES.map((name) => details[name]).filter(isShort);
  if (isShort(from) && isShort(to)) parts.push(`${from} → ${to}`);
  if (isShort(change)) parts.push(change);
  else if (Array.isArray(fields)) parts.push(fields.filter(isShort).join(', '));
  const text = parts.slice(0, MAX_PARTS).join(' · ');
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

function isShort(value: unknown): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && value !== '');
}
