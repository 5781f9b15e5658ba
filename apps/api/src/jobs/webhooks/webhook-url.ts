import { unknownFieldProblems } from '../../infra/requests/free-form.ts';
import { isText } from '../../infra/requests/text.ts';

const MAX_LENGTH = 2_000;

/** Returns the problems of a `webhook` field. */
export function checkWebhook(value: unknown, path: string): string[] {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [`${path} must be an object with url`];
  const problems = unknownFieldProblems(value, ['url'], path);
  const { url } = value as { url?: unknown };
  return isWebhookUrl(url)
    ? problems
    : [
        ...problems,
        `${path}.url must be an http: or https: URL without credentials, at most ${MAX_LENGTH} characters`,
      ];
}

function isWebhookUrl(text: unknown): boolean {
  if (!isText(text) || text.length > MAX_LENGTH) return false;
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
