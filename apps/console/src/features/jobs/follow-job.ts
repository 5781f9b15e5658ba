import type { JobsResource, VersionedJob } from '@platform/client';

const WAIT_MS = 20_000;

/** Returns the job when it has changed, or the known job if it has not changed for a while. */
export async function followJob(
  jobs: Pick<JobsResource, 'waitForChange'>,
  jobId: string,
  known: VersionedJob | undefined,
  signal: AbortSignal,
): Promise<VersionedJob> {
  const changed = await jobs.waitForChange(jobId, { version: known?.version, waitMs: WAIT_MS }, { signal });
  if (changed !== null) return changed;
  if (known === undefined) throw new Error(`The first response for job ${jobId} must not be 304`);
  return known;
}
