import type { BuiltinTool } from './builtin-tool.ts';
import { currentTime } from './current-time.ts';
import { speechTool } from './speech-tool.ts';

/** The tools of the platform by their names: every space has them. */
export const builtinTools: ReadonlyMap<string, BuiltinTool> = new Map(
  [currentTime, speechTool].map((tool) => [tool.name, tool]),
);
