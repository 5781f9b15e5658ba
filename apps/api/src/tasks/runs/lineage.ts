/**
 * Where a run comes from. All members are null for a run that no event has caused. A run that a person or a schedule starts
 * has no envelope of its own; the others are those of the run whose call started it.
 */
export interface Lineage {
  envelopeId: string | null;
  rootId: string | null;
  depth: number | null;
  path: string[] | null;
}
