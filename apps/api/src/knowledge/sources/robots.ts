/** What a robots.txt asks of us. */
export interface RobotRules {
  rules: RobotRule[];
  /** Seconds between two requests; null if it does not say. */
  delaySeconds: number | null;
}

interface RobotRule {
  isAllowed: boolean;
  /** Normalized; with `*` for any characters, and `$` at its end. */
  path: string;
}

/** How we name ourselves to servers. */
export const ROBOT = 'platform-knowledge';
export const NO_RULES: RobotRules = { rules: [], delaySeconds: null };
/** Beyond these, a file is meant for others. */
const MAX_RULES = 1_000;
const MAX_RULE_CHARS = 500;
const MAX_DELAY_SECONDS = 60;
const LINE = /^[ \t]*([a-z-]{1,20})[ \t]*:([^#]*)/i;

/** Reads a robots.txt as RFC 9309 says: the group that names us, or else the one for all. */
export function parseRobots(text: string): RobotRules {
  const own: RobotRules = { rules: [], delaySeconds: null };
  const all: RobotRules = { rules: [], delaySeconds: null };
  let groups: RobotRules[] = [];
  let isOfUs = false;
  let isNaming = false;
  for (const line of text.split(/\r\n?|\n/)) {
    const [, field = '', raw = ''] = LINE.exec(line) ?? [];
    const value = raw.trim();
    const name = field.toLowerCase();
    if (name === 'user-agent') {
      if (!isNaming) groups = [];
      isNaming = true;
      if (value === '*') groups.push(all);
      else if (value.split('/')[0]?.toLowerCase() === ROBOT) {
        isOfUs = true;
        groups.push(own);
      }
    } else if (name === 'allow' || name === 'disallow') {
      isNaming = false;
      const path = normalize(value);
      if (path === '' || path.length > MAX_RULE_CHARS) continue;
      const rule = { isAllowed: name === 'allow', path };
      for (const { rules } of groups) if (rules.length < MAX_RULES) rules.push(rule);
    } else if (name === 'crawl-delay') {
      isNaming = false;
      const seconds = Number(value);
      if (value === '' || !(seconds >= 0)) continue;
      for (const group of groups) group.delaySeconds = Math.min(seconds, MAX_DELAY_SECONDS);
    }
  }
  return isOfUs ? own : all;
}

/** Whether a page can be requested: the longest rule that matches decides, and `Allow` among equals. */
export function isAllowed({ rules }: RobotRules, { pathname, search }: URL): boolean {
  const path = normalize(pathname + search);
  let best: RobotRule | null = null;
  for (const rule of rules) {
    const isBetter =
      best === null ||
      rule.path.length > best.path.length ||
      (rule.path.length === best.path.length && rule.isAllowed);
    if (isBetter && matches(rule.path, path)) best = rule;
  }
  return best?.isAllowed ?? true;
}

/** Each part is looked for behind the one before: linear, whatever the rule. */
function matches(rule: string, path: string): boolean {
  const isWhole = rule.endsWith('$');
  const [first = '', ...parts] = (isWhole ? rule.slice(0, -1) : rule).split('*');
  if (!path.startsWith(first)) return false;
  if (parts.length === 0) return !isWhole || path.length === first.length;
  const last = isWhole ? (parts.pop() ?? '') : '';
  let at = first.length;
  for (const part of parts) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return !isWhole || (path.length - last.length >= at && path.endsWith(last));
}

/** The same spelling of what can be written in several ways. */
function normalize(path: string): string {
  return path
    .replace(/[^\0-\x7f]+/gu, (text) => encodeURI(text.toWellFormed()))
    .replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
}
