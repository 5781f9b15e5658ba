import { expect, it } from '@jest/globals';
import type { Job } from '@platform/contracts';
import type { JobRecordsService, JobRow } from '../records/job-records.service.ts';
import type { JobViewsService } from '../records/job-views.service.ts';
import { JobWatchService } from './job-watch.service.ts';

const row = { id: 'job', changes: 1 } as unknown as JobRow;
const job = { id: 'job', status: 'RUNNING' } as Job;

it('wakes a caller who read the input only when the job changes', async () => {
  let current = job;
  let polls = 0;
  const secondPoll = Promise.withResolvers<undefined>();
  const records = { listByIds: () => Promise.resolve([row]) } as unknown as JobRecordsService;
  const views = {
    describeAll: () => {
      polls += 1;
      if (polls === 2) secondPoll.resolve(undefined);
      return Promise.resolve([current]);
    },
  } as unknown as JobViewsService;
  const watch = new JobWatchService(records, views);
  const read = { ...job, input: { contents: [] } } as unknown as Job;
  const changed = watch.waitForChange(row, read, new AbortController().signal).then(() => 'changed' as const);
  const first = await Promise.race([changed, secondPoll.promise]);
  expect(first).toBeUndefined();
  current = { ...job, status: 'COMPLETED' };
  expect(await changed).toBe('changed');
  watch.beforeApplicationShutdown();
});
