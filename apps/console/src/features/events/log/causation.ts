import type { CausationNode } from '@platform/contracts';

export interface CausationBranch extends CausationNode {
  causes: CausationGroup[];
}

/** Events that one run emitted. `run` is null for those of which no run is known. */
export interface CausationGroup {
  run: CausationNode['causedBy'];
  events: CausationBranch[];
}

/**
 * Returns the events as trees: each below the run that emitted it, and that below the event that started it. Events whose cause
 * is not listed are roots.
 */
export function buildCausation(nodes: readonly CausationNode[]): CausationGroup[] {
  const branches = new Map(
    nodes.map((node) => [node.envelopeId, { ...node, causes: [] as CausationGroup[] }]),
  );
  const roots: CausationGroup[] = [];
  for (const branch of branches.values()) {
    const parent = branch.causationId === null ? undefined : branches.get(branch.causationId);
    const groups = parent === undefined || parent.depth >= branch.depth ? roots : parent.causes;
    const group = groups.find(({ run }) => run?.runId === branch.causedBy?.runId);
    if (group === undefined) groups.push({ run: branch.causedBy, events: [branch] });
    else group.events.push(branch);
  }
  return roots;
}
