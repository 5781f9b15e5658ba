import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ApplicationManifest, ManifestChange } from '@platform/contracts';
import { canonicalJson } from '../infra/runtime/json.ts';

/** Identifies the content of a manifest, whatever the order of its keys. */
export function hashManifest(manifest: ApplicationManifest): Buffer {
  return createHash('sha256').update(canonicalJson(manifest)).digest();
}

/** Lists what a new manifest adds, changes, and removes. */
export function listChanges(before: ApplicationManifest, after: ApplicationManifest): ManifestChange[] {
  return [
    ...compare('event', named(before.events), named(after.events)),
    ...compare('table', named(before.tables), named(after.tables)),
    ...compare('task', keyed(before.tasks), keyed(after.tasks)),
    ...compare('subscription', keyed(before.subscriptions), keyed(after.subscriptions)),
  ];
}

type Parts = Map<string, unknown>;

function compare(kind: ManifestChange['kind'], before: Parts, after: Parts): ManifestChange[] {
  const removed = [...before.keys()].filter((name) => !after.has(name));
  const changed = [...after].flatMap(([name, part]): ManifestChange[] => {
    if (!before.has(name)) return [{ kind, name, change: 'added' }];
    return isDeepStrictEqual(before.get(name), part) ? [] : [{ kind, name, change: 'changed' }];
  });
  return [...changed, ...removed.map((name) => ({ kind, name, change: 'removed' as const }))];
}

function named(parts: readonly { name: string }[] | null | undefined): Parts {
  return new Map((parts ?? []).map((part) => [part.name, part]));
}

function keyed(parts: readonly { key: string }[] | null | undefined): Parts {
  return new Map((parts ?? []).map((part) => [part.key, part]));
}
