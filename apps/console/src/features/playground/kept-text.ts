/** What was written and not sent, in this tab only. Signing out clears it. */
const PREFIX = 'platform.draft.';
const MAX_KEPT = 20;
const MAX_LENGTH = 100_000;

/** Returns the text that is kept under a name, or null. */
export function readText(name: string): string | null {
  const stored = sessionStorage.getItem(PREFIX + name);
  return stored === null ? null : stored.slice(stored.indexOf(' ') + 1);
}

/**
 * Keeps a text in place of the last one; an empty text removes it, unless it takes the place of a text that the input would begin
 * with. Returns false if there is no room for it.
 */
export function keepText(name: string, text: string, isBegun = false): boolean {
  const key = PREFIX + name;
  // An older text must not come back in place of one that does not fit.
  sessionStorage.removeItem(key);
  if (text.trim() === '' && !isBegun) return true;
  if (text.length > MAX_LENGTH) return false;
  try {
    sessionStorage.setItem(key, `${Date.now()} ${text}`);
  } catch {
    return false;
  }
  forgetOldest(key);
  return true;
}

function forgetOldest(newest: string): void {
  const others = Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX) && key !== newest);
  if (others.length < MAX_KEPT) return;
  const timeOf = (key: string) => Number.parseInt(sessionStorage.getItem(key) ?? '', 10);
  others.sort((a, b) => timeOf(b) - timeOf(a));
  for (const key of others.slice(MAX_KEPT - 1)) sessionStorage.removeItem(key);
}
