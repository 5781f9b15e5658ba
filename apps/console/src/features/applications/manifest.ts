import type { ApplicationManifest } from '@platform/contracts';
import { parseSchema } from '../../ui/code/parse-json.ts';

/** One thing that the service rejects in a manifest. */
export interface ManifestProblem {
  /** JSON pointer, such as /events/0/payloadSchema; null if the problem has none. */
  pointer: string | null;
  text: string;
}

/** Returns the manifest in the text, or undefined if it is not a JSON object. The service checks the rest. */
export function parseManifest(text: string): ApplicationManifest | undefined {
  return parseSchema(text) as ApplicationManifest | undefined;
}

interface ManifestPart {
  kind: 'event' | 'table' | 'task';
  name: string;
  /** The schedule of a task, or the events of its enabled subscriptions. */
  startedBy: string;
}

/** What a manifest declares, and what will start its tasks. What is no list, or has no name, is left out. */
export function listManifestParts({
  events,
  tables,
  tasks,
  subscriptions,
}: ApplicationManifest): ManifestPart[] {
  const named = <T extends object>(list: readonly T[] | undefined, read: (one: T) => unknown) =>
    (Array.isArray(list) ? list : []).flatMap((one: T | null) => {
      const name = typeof one === 'object' && one !== null ? read(one) : undefined;
      return one !== null && typeof name === 'string' ? [{ one, name }] : [];
    });
  const eventsOf = new Map<unknown, string[]>();
  for (const { one, name } of named(subscriptions, ({ event }) => event)) {
    if (one.enabled === false) continue;
    const names = eventsOf.get(one.taskKey) ?? [];
    if (!names.includes(name)) eventsOf.set(one.taskKey, [...names, name]);
  }
  return [
    ...named(events, ({ name }) => name).map(({ name }) => ({ kind: 'event' as const, name, startedBy: '' })),
    ...named(tables, ({ name }) => name).map(({ name }) => ({ kind: 'table' as const, name, startedBy: '' })),
    ...named(tasks, ({ name }) => name).map(({ one, name }) => ({
      kind: 'task' as const,
      name,
      startedBy: [one.schedule?.cron, ...(eventsOf.get(one.key) ?? [])].filter(isText).join(', '),
    })),
  ];
}

const isText = (value: unknown) => typeof value === 'string';

/** Finds the pointers of problems such as `/events/0/name must …`. */
export function parseProblems(problems: readonly string[]): ManifestProblem[] {
  return problems.map((text) => {
    const pointer = /^(\/[^\s:]*):? (.+)$/s.exec(text);
    return pointer === null
      ? { pointer: null, text }
      : { pointer: pointer[1] ?? null, text: pointer[2] ?? '' };
  });
}
