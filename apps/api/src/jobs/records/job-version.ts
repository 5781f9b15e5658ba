import { createHash } from 'node:crypto';
import type { Job } from '@platform/contracts';

/** Computes the entity tag of a job, which depends on all of its fields. */
export function computeVersion(job: Job): string {
  return `"${createHash('sha256').update(JSON.stringify(job)).digest('base64url').slice(0, 27)}"`;
}

/** Whether `If-None-Match` contains the version. Weak tags match, as RFC 9110 requires for this header. */
export function matchesVersion(ifNoneMatch: string, version: string): boolean {
  return ifNoneMatch
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === '*' || tag === version);
}
