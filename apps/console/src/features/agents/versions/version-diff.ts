import type { AgentVersion } from '@platform/contracts';
import { keysOf } from '../../../ui/forms/field-names.ts';
import { diffLines, skipUnchanged, type DiffLine, type SkippedLines } from '../../../ui/diff/line-diff.ts';

type Definition = AgentVersion['agent'];

/** What every version has of its own. */
type Own = 'id' | 'spaceId' | 'ownerUserId' | 'version' | 'createdAt' | 'updatedAt';
export type ComparedField = Exclude<keyof Definition, Own>;
/** Names for ids. */
interface Names {
  tool: (id: string) => string;
  person: (id: string) => string;
}

const formatJson = (items: readonly unknown[]): string =>
  items.length === 0 ? '' : JSON.stringify(items, null, 2);
const formatSettings = (settings: object): string =>
  Object.entries(settings)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

/** The fields that versions can differ in, in the order of the form, with their labels. */
export const COMPARED_FIELDS = {
  name: { label: 'common.name', format: String },
  description: { label: 'common.description', format: String },
  model: { label: 'agents.model', format: String },
  systemPrompt: { label: 'agentForm.systemPrompt', format: String },
  variables: { label: 'versions.variables', format: formatJson },
  tools: {
    label: 'tools.title',
    format: (tools, { tool }) =>
      tools
        .map(({ toolId, methods }) => `${tool(toolId)}: ${methods === null ? '*' : methods.join(', ')}`)
        .join('\n'),
  },
  localTools: { label: 'localTools.title', format: formatJson },
  knowledge: { label: 'tools.knowledge', format: formatSettings },
  askUser: { label: 'tools.askUser', format: String },
  settings: { label: 'agentForm.settings', format: formatSettings },
  accessScope: { label: 'agentForm.access', format: String },
  allowedUserIds: { label: 'versions.allowedUsers', format: (ids, { person }) => ids.map(person).join('\n') },
} as const satisfies {
  [Field in ComparedField]: { label: string; format: (value: Definition[Field], names: Names) => string };
};

export interface FieldChange {
  field: ComparedField;
  lines: (DiffLine | SkippedLines)[];
}

/** Returns what changed between two versions. */
export function compareVersions(before: Definition, after: Definition, names: Names): FieldChange[] {
  return keysOf(COMPARED_FIELDS).flatMap((field) => {
    const format = COMPARED_FIELDS[field].format as (value: unknown, names: Names) => string;
    const [old, now] = [before, after].map((version) => format(version[field], names));
    if (old === now) return [];
    return [{ field, lines: skipUnchanged(diffLines(toLines(old), toLines(now))) }];
  });
}

/** An empty text has no lines. */
const toLines = (text = ''): string[] => (text === '' ? [] : text.split('\n'));
