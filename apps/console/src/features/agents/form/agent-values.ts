import type { Agent, AgentTool, CreateAgentRequest } from '@platform/contracts';
import { parseSchema } from '../../../ui/code/parse-json.ts';

/** Id of the built-in tool that has its own switch. */
export const CURRENT_TIME = 'current_time';

/** The fields that the form shows as they are stored. Only the API sets the descriptions of variables. */
type StoredValues = Omit<Pick<Agent, keyof CreateAgentRequest>, 'variables' | 'tools' | 'localTools'>;

/** The values of the form. */
export interface AgentForm extends StoredValues {
  currentTime: boolean;
  /** The tools that have no switch of their own. */
  tools: AgentTool[];
  localTools: LocalToolForm[];
}

export interface LocalToolForm {
  name: string;
  description: string;
  /** JSON text as entered. */
  inputSchema: string;
}

export const NEW_LOCAL_TOOL: LocalToolForm = {
  name: '',
  description: '',
  inputSchema: JSON.stringify({ type: 'object', properties: {} }, null, 2),
};

/** Whether the text is a JSON object, as required for a JSON Schema. */
export function isSchemaText(text: string): boolean {
  return parseSchema(text) !== undefined;
}
