import type { BuiltinTool } from './builtin-tool.ts';
import { currentTime } from './current-time.ts';
import { speechTool } from './speech-tool.ts';
import { webSearchTool } from './web-search-tool.ts';

/** The tools of the platform by their names: every space has them, unless `PlatformToolsService.isAvailable` says otherwise. */
export const builtinTools: ReadonlyMap<string, BuiltinTool> = new Map(
  [currentTime, speechTool, webSearchTool].map((tool) => [tool.name, tool]),
);
