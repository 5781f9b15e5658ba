import type { JobsResource, VersionedJob } from '@platform/client';

const WAIT_MS = 20_000;

/** The job once it is another than the known one, or the known one if nothing happened for a while. */
export async function followJob(
  jobs: Pick<JobsResource, 'waitForChange'>,
  jobId: string,
  known: VersionedJob | undefined,
  signal: AbortSignal,
): Promise<VersionedJob> {
  const changed = await jobs.waitForChange(jobId, { version: known?.version, waitMs: WAIT_MS }, { signal });
  if (changed !== null) return changed;
  if (known === undefined) throw new Error(`Job ${jobId} was answered as unchanged before it was known`);
  return known;
}
