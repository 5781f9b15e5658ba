import { FairQueue, type Leave } from '../../infra/runtime/fair-queue.ts';
import type { Lane, WaitingTask } from '../runs/run-queue.store.ts';

/** Places for runs of one task. */
export interface TaskPlaces {
  taskId: string;
  places: Leave[];
}

/**
 * The places of a process for runs, shared among spaces, and within a space among owners. No space takes more than are left
 * for others, and no owner more than are left for the space: whoever comes next finds a place, however long runs take.
 */
export class RunPlaces {
  private readonly spaces: FairQueue;
  /** How many places each lane has. */
  private readonly lanes = new Map<string, number>();

  constructor(places: number) {
    this.spaces = new FairQueue({ places, leaveRoom: true });
  }

  /** Gives places to runs that wait, at most so many. Spaces take turns, then their owners, then the tasks of an owner. */
  take(waiting: readonly WaitingTask[], limit: number): TaskPlaces[] {
    const taken = new Map<string, Leave[]>();
    const spaces = Map.groupBy(waiting, ({ spaceId }) => spaceId);
    const turns = [...spaces.values()].map((tasks) => {
      const owners = Map.groupBy(tasks, ({ ownerUserId }) => ownerUserId);
      return [...owners.values()].map((own) => own.map((task) => ({ ...task })));
    });
    for (let count = 0, isAny = true; isAny && count < limit;) {
      isAny = false;
      for (const owners of turns) {
        const picked = count < limit ? this.takeTurn(owners) : null;
        if (picked === null) continue;
        isAny = true;
        count += 1;
        const { taskId, leave } = picked;
        const places = taken.get(taskId);
        if (places === undefined) taken.set(taskId, [leave]);
        else places.push(leave);
      }
    }
    return [...taken].map(([taskId, places]) => ({ taskId, places }));
  }

  /** Takes further places for a run that has one, as far as the owner can have them. Returns what gives them back. */
  extend(lane: Lane, count: number): () => void {
    const taken: Leave[] = [];
    for (let i = 0; i < count; i++) {
      const leave = this.tryEnter(lane);
      if (leave === null) break;
      taken.push(leave);
    }
    return () => {
      for (const leave of taken) leave();
    };
  }

  /** One place for a space: its next owner who can have one goes to the end, and so does the task. */
  private takeTurn(owners: WaitingTask[][]): { taskId: string; leave: Leave } | null {
    for (let tasks = owners.shift(); tasks !== undefined; tasks = owners.shift()) {
      const task = tasks.shift();
      const leave = task === undefined ? null : this.tryEnter(task);
      if (task === undefined || leave === null) continue;
      task.waiting -= 1;
      if (task.waiting > 0) tasks.push(task);
      owners.push(tasks);
      return { taskId: task.taskId, leave };
    }
    return null;
  }

  private tryEnter({ spaceId, ownerUserId }: Lane): Leave | null {
    const lane = `${spaceId} ${ownerUserId}`;
    const taken = this.lanes.get(lane) ?? 0;
    if (taken >= this.spaces.roomOf(spaceId)) return null;
    const leave = this.spaces.tryEnter(spaceId);
    if (leave === null) return null;
    this.lanes.set(lane, taken + 1);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      leave();
      const left = (this.lanes.get(lane) ?? 1) - 1;
      if (left === 0) this.lanes.delete(lane);
      else this.lanes.set(lane, left);
    };
  }
}
