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

/** The tool exists, but an error prevented the rest of its methods. */
export class PartialImportError extends Error {
  override name = 'PartialImportError';

  constructor(
    readonly tool: Tool,
    cause: unknown,
  ) {
    super('Only a part of the methods was imported', { cause });
  }
}

/** Creates a tool with its methods, in as many requests as their size requires. */
export async function importTool(
  tools: ToolsPort,
  tool: CreateToolRequest,
  methods: readonly ToolMethodRequest[],
): Promise<Tool> {
  const [first = [], ...others] = splitMethods(methods, MAX_BATCH_LENGTH);
  let created = await tools.create({ ...tool, methods: first });
  for (const batch of others) {
    try {
      created = await tools.addMethods(created.id, batch);
    } catch (error) {
      throw new PartialImportError(created, error);
    }
  }
  return created;
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
