import { setImmediate } from 'node:timers/promises';
import { checkSchema } from '../events/catalog/payload-schemas.service.ts';
import { cpuMsSince } from '../infra/runtime/cpu-time.ts';
import { isObject } from '../infra/runtime/json.ts';
import { MAX_EVENTS } from './manifest.ts';

/** Processor time for all schemas of a manifest together. One of ordinary size takes a few milliseconds. */
const MAX_MS = 5_000;

/** Returns what is wrong with the payload schemas of a manifest. Other requests are served between two of them. */
export async function checkPayloadSchemas(manifest: unknown, maxMs = MAX_MS): Promise<string[]> {
  const events = isObject(manifest) && Array.isArray(manifest.events) ? manifest.events : [];
  if (events.length > MAX_EVENTS) return [];
  const problems: string[] = [];
  let spent = 0;
  for (const [i, event] of events.entries()) {
    if (!isObject(event)) continue;
    const pointer = `/events/${i}/payloadSchema`;
    if (spent > maxMs)
      return [...problems, `${pointer} cannot be checked: the schemas before it take too long`];
    const start = process.threadCpuUsage();
    problems.push(...checkSchema(event.payloadSchema, pointer));
    spent += cpuMsSince(start);
    await setImmediate();
  }
  return problems;
}
