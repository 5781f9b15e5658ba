import type { PlatformConfig } from '../../infra/config/platform-config.ts';
import { ActiveRun } from './active-run.ts';
import type { ClaimedRun } from './run-claims.store.ts';
import { RunLeasesWorker } from './run-leases.worker.ts';

const activate = (fencingToken: string) =>
  new ActiveRun({ id: 'run' } as ClaimedRun, fencingToken, performance.now());

describe('the leases of runs', () => {
  it('stop the old execution of a run that was claimed again, and keep the run when it ends', async () => {
    const leases = new RunLeasesWorker({ database: {} } as PlatformConfig);
    const [old, current] = [activate('old'), activate('current')];
    leases.add(old);
    leases.add(current);
    expect([old.reason, current.reason]).toEqual(['lost', null]);
    leases.remove(old);
    expect(leases.list()).toEqual([current]);
    leases.cancel('run');
    expect([old.reason, current.reason]).toEqual(['lost', 'cancelled']);
    leases.remove(current);
    expect(leases.list()).toEqual([]);
    await leases.onApplicationShutdown();
  });
});
