import type { CreateToolRequest, Tool, ToolMethodRequest } from '@platform/contracts';

/** The service accepts bodies of 10 MB. */
const MAX_BATCH_LENGTH = 3_000_000;

export const MAX_METHODS = 500;
/** The most tools that models accept. */
export const MAX_MODEL_TOOLS = 128;

interface ToolsPort {
  create(tool: CreateToolRequest): Promise<Tool>;
  addMethods(toolId: string, methods: ToolMethodRequest[]): Promise<Tool>;
}

/** A method that the service did not accept, with its sentence. */
export interface RefusedMethod {
  name: string;
  reason: string;
}

export interface ImportOutcome {
  tool: Tool;
  refused: RefusedMethod[];
  /** The methods that an error prevented, which may be sent again. */
  rest: ToolMethodRequest[];
  error: unknown;
}

/**
 * Creates a tool with its methods, in as many requests as their size requires. A method that is refused does not keep the
 * others from being stored. Throws if there is no tool.
 */
export async function importTool(
  tools: ToolsPort,
  tool: CreateToolRequest,
  methods: readonly ToolMethodRequest[],
): Promise<ImportOutcome> {
  const [first = [], ...others] = splitMethods(methods, MAX_BATCH_LENGTH);
  const created = await withoutRefused(first, 'methods', (kept) => tools.create({ ...tool, methods: kept }));
  return addMethods(tools, created.result, others.flat(), created.refused);
}

/** Adds methods to a tool that exists. */
export async function addMethods(
  tools: Pick<ToolsPort, 'addMethods'>,
  tool: Tool,
  methods: readonly ToolMethodRequest[],
  refused: readonly RefusedMethod[] = [],
): Promise<ImportOutcome> {
  const outcome: ImportOutcome = { tool, refused: [...refused], rest: [], error: null };
  const batches = splitMethods(methods, MAX_BATCH_LENGTH);
  for (const [i, batch] of batches.entries()) {
    try {
      const added = await withoutRefused(batch, 'methods', (kept) =>
        kept.length === 0 ? Promise.resolve(outcome.tool) : tools.addMethods(tool.id, kept),
      );
      outcome.tool = added.result;
      outcome.refused.push(...added.refused);
    } catch (error) {
      return { ...outcome, rest: batches.slice(i).flat(), error };
    }
  }
  return outcome;
}

/** Sends items without those that the service names as wrong, until it accepts the others. `list`: its name for them. */
export async function withoutRefused<T extends { name: string }, R>(
  items: readonly T[],
  list: string,
  send: (items: T[]) => Promise<R>,
): Promise<{ result: R; refused: RefusedMethod[] }> {
  const refused: RefusedMethod[] = [];
  let kept = [...items];
  for (;;) {
    try {
      return { result: await send(kept), refused };
    } catch (error) {
      const reasons = findRefused(error, list);
      const named = kept.filter((_, i) => reasons.has(i));
      if (named.length === 0) throw error;
      kept.forEach(({ name }, i) => reasons.has(i) && refused.push({ name, reason: reasons.get(i) ?? '' }));
      kept = kept.filter((_, i) => !reasons.has(i));
    }
  }
}

/** What the service says about each item of a list, such as `methods[3].name must be …`. */
function findRefused(error: unknown, list: string): Map<number, string> {
  const reasons = new Map<number, string>();
  const message = error instanceof Error ? error.message : '';
  for (const problem of message.split(/; (?=[a-z]+\[\d+\])/)) {
    const [, name, index, reason = ''] = /^([a-z]+)\[(\d+)\]\.?(.*)$/s.exec(problem) ?? [];
    if (name === list) reasons.set(Number(index), reason);
  }
  return reasons;
}

/** Splits methods into batches whose JSON is not longer than `most`, except for a single longer method. */
export function splitMethods(methods: readonly ToolMethodRequest[], most: number): ToolMethodRequest[][] {
  const batches: ToolMethodRequest[][] = [];
  let length = Infinity;
  for (const method of methods) {
    const own = JSON.stringify(method).length;
    if (length + own > most) {
      batches.push([]);
      length = 0;
    }
    batches.at(-1)?.push(method);
    length += own;
  }
  return batches;
}
