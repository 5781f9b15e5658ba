import { createHash } from 'node:crypto';
import type { Job } from '@platform/contracts';

/** The entity tag of a job: another one whenever anything that is told of the job differs. */
export function computeVersion(job: Job): string {
  return `"${createHash('sha256').update(JSON.stringify(job)).digest('base64url').slice(0, 27)}"`;
}

/** Whether an `If-None-Match` names that version; weak tags count, as RFC 9110 has it for this header. */
export function matchesVersion(ifNoneMatch: string, version: string): boolean {
  return ifNoneMatch
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === '*' || tag === version);
}
