import i18next from 'i18next';
import { useSyncExternalStore } from 'react';
import { client, keys, queryClient } from '../../api.ts';
import { whenOnline } from '../../ui/browser/online.ts';
import { UploadQueue, type Skipped, type Upload } from './upload-queue.ts';

/** The limit of the service for a form with a file. */
export const MAX_MEGABYTES = 25;

let current: readonly Upload[] = [];
const listeners = new Set<() => void>();

/** What the user uploads, also after leaving the page that began it. */
export const uploads = new UploadQueue(send, tell, whenOnline);

function tell(next: readonly Upload[]): void {
  current = next;
  for (const listener of listeners) listener();
}

export function useUploads(): readonly Upload[] {
  return useSyncExternalStore(subscribe, () => current);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

async function send(file: File, signal: AbortSignal): Promise<Skipped> {
  if (file.size > MAX_MEGABYTES * 1024 * 1024)
    throw new Error(i18next.t('knowledge.tooLarge', { size: MAX_MEGABYTES }));
  // A large file takes longer than a request usually does.
  const options = { signal, timeoutMs: 0 };
  let skipped: Skipped = [];
  if (file.name.toLowerCase().endsWith('.zip'))
    ({ skipped } = await client.knowledge.uploadArchive({ file }, options));
  else await client.knowledge.createDocument({ file }, options);
  await queryClient.invalidateQueries({ queryKey: keys.knowledge });
  return skipped;
}
