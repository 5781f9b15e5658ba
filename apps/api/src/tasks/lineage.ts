/** Where a run comes from. All members are null for a run that no event started. */
export interface Lineage {
  envelopeId: string | null;
  rootId: string | null;
  depth: number | null;
  path: string[] | null;
}
