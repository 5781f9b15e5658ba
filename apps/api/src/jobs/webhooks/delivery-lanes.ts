import { FairPlaces } from '../../infra/runtime/fair-places.ts';

/** A delivery to be sent: `lane` is its destination, `owner` its sender. */
export interface QueuedDelivery {
  id: string;
  lane: string;
  owner: string;
}

interface Limits {
  /** The most concurrent deliveries. */
  places: number;
  /** The most concurrent deliveries per lane. */
  perLane: number;
  /** The most waiting deliveries per lane. */
  waitingPerLane: number;
}

/**
 * Limits concurrent deliveries per lane, so that a slow lane does not delay others, and shares the places among owners, so
 * that an owner with many slow lanes does not either. Lanes take turns.
 */
export class DeliveryLanes {
  private readonly places: FairPlaces;
  /** The next lane comes first. */
  private readonly lanes = new Map<string, { sending: number; waiting: QueuedDelivery[] }>();
  private readonly known = new Set<string>();

  constructor(
    private readonly limits: Limits,
    /** Must not reject. */
    private readonly send: (delivery: QueuedDelivery) => Promise<void>,
  ) {
    this.places = new FairPlaces(limits.places);
  }

  /** Adds a delivery, once. Returns false if its lane is full. */
  enqueue(delivery: QueuedDelivery): boolean {
    if (this.known.has(delivery.id)) return true;
    const lane = this.lanes.get(delivery.lane) ?? { sending: 0, waiting: [] };
    if (lane.waiting.length >= this.limits.waitingPerLane) return false;
    this.known.add(delivery.id);
    lane.waiting.push(delivery);
    this.lanes.set(delivery.lane, lane);
    this.sendNext();
    return true;
  }

  /** Drops waiting deliveries; their rows are found again later. */
  clear(): void {
    for (const lane of this.lanes.values()) lane.waiting = [];
  }

  private sendNext(): void {
    for (const [name, lane] of [...this.lanes]) {
      const [delivery] = lane.waiting;
      if (delivery === undefined || lane.sending >= this.limits.perLane) continue;
      if (!this.places.canAcquire(delivery.owner)) continue;
      lane.waiting.shift();
      lane.sending += 1;
      this.places.acquire(delivery.owner);
      // Moves the lane to the end.
      this.lanes.delete(name);
      this.lanes.set(name, lane);
      void this.send(delivery).finally(() => this.sent(delivery));
    }
  }

  private sent({ id, lane: name, owner }: QueuedDelivery): void {
    this.places.release(owner);
    this.known.delete(id);
    const lane = this.lanes.get(name);
    if (lane) {
      lane.sending -= 1;
      if (lane.sending === 0 && lane.waiting.length === 0) this.lanes.delete(name);
    }
    this.sendNext();
  }
}
