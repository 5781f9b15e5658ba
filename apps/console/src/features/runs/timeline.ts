import type { RunStep } from '@platform/contracts';

export interface TimelineBar {
  /** Percent of the whole time. */
  start: number;
  width: number;
}

/** Bars narrower than this could not be seen. */
const MIN_WIDTH = 0.8;

/** Returns where each step lies between the start of the first step and the end of the last one. */
export function layOutSteps(
  steps: readonly RunStep[],
  now: number,
): { bars: TimelineBar[]; totalMs: number } {
  const times = steps.map(({ startedAt, durationMs }) => {
    const start = Date.parse(startedAt);
    return { start, end: durationMs === null ? Math.max(start, now) : start + durationMs };
  });
  const begin = Math.min(...times.map(({ start }) => start));
  const totalMs = times.length === 0 ? 0 : Math.max(...times.map(({ end }) => end)) - begin;
  const scale = totalMs === 0 ? 0 : 100 / totalMs;
  return {
    totalMs,
    bars: times.map(({ start, end }) => {
      const width = Math.max(MIN_WIDTH, (end - start) * scale);
      return { width: Math.min(100, width), start: Math.min((start - begin) * scale, 100 - MIN_WIDTH) };
    }),
  };
}

/** A step with those that it contains. */
export interface StepNode {
  step: RunStep;
  bar: TimelineBar | undefined;
  /** Of a branch. */
  children: StepNode[];
  /** Of an `each`: the steps of each item, in the order of the items. */
  items: ItemGroup[];
}

export interface ItemGroup {
  index: number;
  status: RunStep['status'];
  nodes: StepNode[];
}

/** The last part of a scope, and what is before it: in `a.b[3].c`, `c` of the item 3 of `a.b`. */
const LAST_PART = /^(?:(?<parent>.+?)(?:\[(?<item>\d+)\])?\.)?[^.[\]]+$/;

/** Returns the steps inside of those that contain them. One whose container is missing is at the top. */
export function nestSteps(steps: readonly RunStep[], bars: readonly TimelineBar[]): StepNode[] {
  const top: StepNode[] = [];
  const nodes = new Map<string, StepNode>();
  const groups = new Map<string, ItemGroup>();
  steps.forEach((step, i) => nodes.set(step.scope, { step, bar: bars[i], children: [], items: [] }));
  for (const [scope, node] of nodes) {
    const { parent = '', item } = LAST_PART.exec(scope)?.groups ?? {};
    const container = nodes.get(parent);
    if (container === undefined) top.push(node);
    else if (item === undefined) container.children.push(node);
    else groupOf(container, Number(item), groups).nodes.push(node);
  }
  for (const { items } of nodes.values()) items.sort((a, b) => a.index - b.index);
  for (const group of groups.values()) group.status = summarize(group.nodes);
  return top;
}

function groupOf({ step, items }: StepNode, index: number, groups: Map<string, ItemGroup>): ItemGroup {
  const key = `${step.scope}[${index}]`;
  const known = groups.get(key);
  if (known !== undefined) return known;
  const group: ItemGroup = { index, status: 'RUNNING', nodes: [] };
  groups.set(key, group);
  items.push(group);
  return group;
}

/** What most needs attention stands for the item. */
const WEIGHTS: readonly RunStep['status'][] = [
  'FAILED',
  'INTERRUPTED',
  'RUNNING',
  'WAITING',
  'CANCELLED',
  'SUCCEEDED',
];

function summarize(nodes: readonly StepNode[]): RunStep['status'] {
  return WEIGHTS.find((status) => nodes.some(({ step }) => step.status === status)) ?? 'SKIPPED';
}

/** Items that need attention come first; the others keep their order. */
export function sortItems(items: readonly ItemGroup[]): ItemGroup[] {
  const rank = ({ status }: ItemGroup) => (status === 'SUCCEEDED' || status === 'SKIPPED' ? 1 : 0);
  return items.toSorted((a, b) => rank(a) - rank(b) || a.index - b.index);
}
