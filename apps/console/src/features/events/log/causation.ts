import type { CausationNode } from '@platform/contracts';

export interface CausationBranch extends CausationNode {
  causes: CausationBranch[];
}

/** Returns the events as trees: each below the event that caused it. Events whose cause is not listed are roots. */
export function buildCausation(nodes: readonly CausationNode[]): CausationBranch[] {
  const branches = new Map(
    nodes.map((node) => [node.envelopeId, { ...node, causes: [] as CausationBranch[] }]),
  );
  const roots: CausationBranch[] = [];
  for (const branch of branches.values()) {
    const parent = branch.causationId === null ? undefined : branches.get(branch.causationId);
    (parent === undefined || parent.depth >= branch.depth ? roots : parent.causes).push(branch);
  }
  return roots;
}
