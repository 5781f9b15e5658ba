import type { ApplicationManifest } from '@platform/contracts';
import { parseJsonObject } from '../../ui/code/parse-json.ts';

/** One thing that the service rejects in a manifest. */
export interface ManifestProblem {
  /** JSON pointer, such as /events/0/payloadSchema; null if the problem has none. */
  pointer: string | null;
  text: string;
}

/** Returns the manifest in the text, or undefined if it is not a JSON object. The service checks the rest. */
export function parseManifest(text: string): ApplicationManifest | undefined {
  return parseJsonObject(text) as ApplicationManifest | undefined;
}

/** Finds the pointers of problems such as `/events/0/name must …`. */
export function parseProblems(problems: readonly string[]): ManifestProblem[] {
  return problems.map((text) => {
    const pointer = /^(\/[^\s:]*):? (.+)$/s.exec(text);
    return pointer === null
      ? { pointer: null, text }
      : { pointer: pointer[1] ?? null, text: pointer[2] ?? '' };
  });
}
