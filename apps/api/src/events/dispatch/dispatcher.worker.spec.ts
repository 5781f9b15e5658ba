import { eventually } from '../../../e2e/harness/eventually.ts';
import { gate } from '../../../e2e/harness/gate.ts';
import type { BackgroundDatabase } from '../../infra/database/database.ts';
import type { Messaging } from '../../infra/messaging/messaging.ts';
import type { OutboxPublishersRegistry } from '../../infra/messaging/outbox-publishers.registry.ts';
import type { RunCreationService } from '../../tasks/runs/run-creation.service.ts';
import type { Claim } from '../records/outbox.store.ts';
import type { DispatchService } from './dispatch.service.ts';
import { DispatcherWorker } from './dispatcher.worker.ts';

/** How long others give way to a turn that does not end, but for what timers are inexact. */
const LEAST_MS = 23;

/** A dispatcher whose outbox is a list of turns, and whose transactions dispatch one envelope each. */
class Dispatcher {
  /** The space and the number of envelopes of each turn. */
  readonly outbox: [string, number][] = [];
  /** When transactions began, and of which space. */
  readonly begun: { spaceId: string; at: number }[] = [];
  transaction = (_spaceId: string): Promise<void> => Promise.resolve();
  hint = () => Promise.resolve();
  othersMayBegin = () => Promise.resolve();
  readonly worker: DispatcherWorker;

  constructor() {
    const query = ({ name }: { name: string }) =>
      Promise.resolve({ rows: name === 'claim_envelopes' ? this.claim() : [] });
    const messaging = {
      consume: (_kind: string, handler: () => Promise<void>) => (this.hint = handler),
      getState: () => 'in-process',
    };
    const dispatch = async (spaceId: string, [, ...left]: readonly Claim[]) => {
      this.begun.push({ spaceId, at: performance.now() });
      await this.transaction(spaceId);
      return { left, isLocked: false };
    };
    this.worker = new DispatcherWorker(
      { driver: { master: { query } } } as unknown as BackgroundDatabase,
      messaging as unknown as Messaging,
      { register: () => undefined } as unknown as OutboxPublishersRegistry,
      { dispatch } as unknown as DispatchService,
      {
        registerUrgentWork: (isDone: () => Promise<void>) => (this.othersMayBegin = isDone),
      } as unknown as RunCreationService,
    );
    this.worker.onApplicationBootstrap();
  }

  /** Resolves when as many transactions have begun. */
  reached(begun: number): Promise<void> {
    return eventually(async () => {
      await Promise.resolve();
      expect(this.begun.length).toBeGreaterThanOrEqual(begun);
    });
  }

  private claim() {
    const [turn, count] = this.outbox.shift() ?? [null, 0];
    const one = { turn, hasOthers: this.outbox.length > 0, hasSuspects: false };
    return Array.from({ length: count }, (_, i) => ({ ...one, envelopeId: `${turn} ${i}` }));
  }
}

describe('the dispatcher', () => {
  it('lets the rest of a space, and runs that wait, give way to a turn of another space for a moment', async () => {
    const dispatcher = new Dispatcher();
    dispatcher.outbox.push(['busy', 10], ['calm', 1]);
    const { opened, open } = gate();
    const begun = gate();
    dispatcher.transaction = (spaceId) => {
      if (spaceId === 'busy') return Promise.resolve();
      begun.open();
      return opened;
    };
    const handled = dispatcher.hint();
    await begun.opened;
    const turn = dispatcher.begun.findIndex(({ spaceId }) => spaceId === 'calm');
    const calmAt = dispatcher.begun[turn]?.at ?? NaN;
    await dispatcher.othersMayBegin();
    expect(performance.now() - calmAt).toBeGreaterThan(LEAST_MS);
    await dispatcher.reached(turn + 4);
    const [first, , third] = dispatcher.begun.slice(turn + 1).map(({ at }) => at);
    // The first one may have waited since before the turn.
    expect((third ?? NaN) - (first ?? NaN)).toBeGreaterThan(2 * LEAST_MS);
    open();
    await dispatcher.reached(11);
    await handled;
    await dispatcher.worker.beforeApplicationShutdown();
  });
});
