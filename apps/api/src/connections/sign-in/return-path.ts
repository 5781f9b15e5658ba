import { isServicePath } from '../../infra/routes/paths.ts';

/** Returns what is wrong with the page on which a sign-in ends, or null: it must be one of the console. */
export function returnPathProblem(path: string, publicUrl: string): string | null {
  const isPath = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(path);
  const url = isPath ? URL.parse(path, publicUrl) : null;
  const isOwn = url !== null && url.origin === new URL(publicUrl).origin;
  if (!isOwn || isServicePath(url.pathname))
    return 'must be the path of a page of the console, such as /connections';
  return null;
}

/** The page with what came of the sign-in in its query. */
export function toLocation(path: string, publicUrl: string, outcome: Record<string, string>): string {
  const base = publicUrl.replace(/\/$/, '');
  const url = new URL(`${base}${path}`);
  for (const [name, value] of Object.entries(outcome)) url.searchParams.set(name, value);
  return url.href;
}
