import type { ToolListing, UpdateMcpOffersRequest } from '@platform/contracts';

/** The most tools that a space offers to MCP clients. */
export const MAX_TOOLS = 128;
/** `get_result` and `cancel`, which every client sees. */
const ALWAYS = 2;

/** How many tools the offers are for a client that may use all of them. Documents are searched with one. */
export function countTools(
  offers: Partial<UpdateMcpOffersRequest> | undefined,
  listings: readonly Pick<ToolListing, 'id' | 'methodCount'>[],
): number {
  const { agents = [], tasks = [], tools = [], knowledge = false } = offers ?? {};
  const methods = tools.map(
    ({ toolId, methods: chosen }) =>
      chosen?.length ?? listings.find(({ id }) => id === toolId)?.methodCount ?? 0,
  );
  return methods.reduce(
    (sum, count) => sum + count,
    agents.length + tasks.length + ALWAYS + Number(knowledge),
  );
}
