import { FairPlaces } from './fair-share.ts';

/** Something to send: `lane` is whom it goes to, `owner` who has it sent. */
export interface QueuedDelivery {
  id: string;
  lane: string;
  owner: string;
}

interface Limits {
  /** What is sent at once in all. */
  places: number;
  /** What is sent at once in one lane. */
  perLane: number;
  /** What may wait in one lane; the rest is refused. */
  waitingPerLane: number;
}

/**
 * Sends few parcels at once per lane, so that a lane which is slow holds up nobody else, and shares the places among
 * owners, so that one with many slow lanes does not either. Lanes take turns.
 */
export class DeliveryLanes {
  private readonly places: FairPlaces;
  /** In the order of their turns. */
  private readonly lanes = new Map<string, { sending: number; waiting: QueuedDelivery[] }>();
  private readonly known = new Set<string>();

  constructor(
    private readonly limits: Limits,
    /** Must not reject. */
    private readonly send: (parcel: QueuedDelivery) => Promise<void>,
  ) {
    this.places = new FairPlaces(limits.places);
  }

  /** Takes a parcel on, once; false if its lane is full. */
  enqueue(parcel: QueuedDelivery): boolean {
    if (this.known.has(parcel.id)) return true;
    const lane = this.lanes.get(parcel.lane) ?? { sending: 0, waiting: [] };
    if (lane.waiting.length >= this.limits.waitingPerLane) return false;
    this.known.add(parcel.id);
    lane.waiting.push(parcel);
    this.lanes.set(parcel.lane, lane);
    this.sendNext();
    return true;
  }

  /** Forgets what waits; it is found again by its row. */
  clear(): void {
    for (const lane of this.lanes.values()) lane.waiting = [];
  }

  private sendNext(): void {
    for (const [name, lane] of [...this.lanes]) {
      const [parcel] = lane.waiting;
      if (parcel === undefined || lane.sending >= this.limits.perLane) continue;
      if (!this.places.canAcquire(parcel.owner)) continue;
      lane.waiting.shift();
      lane.sending += 1;
      this.places.acquire(parcel.owner);
      // Behind the others, until its next turn.
      this.lanes.delete(name);
      this.lanes.set(name, lane);
      void this.send(parcel).finally(() => this.sent(parcel));
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
