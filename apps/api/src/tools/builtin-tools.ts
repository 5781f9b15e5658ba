import type { BuiltinTool } from './builtin-tool.ts';
import { currentTime } from './current-time.ts';

/** Every built-in tool by its name. */
export const builtinTools: ReadonlyMap<string, BuiltinTool> = new Map([[currentTime.name, currentTime]]);
