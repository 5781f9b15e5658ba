import type { AgentVersion } from '@platform/contracts';
import { diffLines, skipUnchanged, type DiffLine, type SkippedLines } from './line-diff.ts';

type Definition = AgentVersion['agent'];

/** The fields that versions can differ in, in the order of the form. */
const COMPARED_FIELDS = [
  'name',
  'description',
  'model',
  'systemPrompt',
  'variables',
  'tools',
  'localTools',
  'knowledge',
  'askUser',
  'settings',
  'accessScope',
  'allowedUserIds',
] as const satisfies (keyof Definition)[];
export type ComparedField = (typeof COMPARED_FIELDS)[number];

export interface FieldChange {
  field: ComparedField;
  lines: (DiffLine | SkippedLines)[];
}

/** Returns what changed between two versions. `nameOf`: names for the ids of tools and users. */
export function compareVersions(
  before: Definition,
  after: Definition,
  nameOf: (id: string) => string,
): FieldChange[] {
  return COMPARED_FIELDS.flatMap((field) => {
    const [old, now] = [before, after].map((version) => formatField(version, field, nameOf));
    if (old === now) return [];
    return [{ field, lines: skipUnchanged(diffLines(toLines(old), toLines(now))) }];
  });
}

/** An empty text has no lines. */
const toLines = (text = ''): string[] => (text === '' ? [] : text.split('\n'));

function formatField(version: Definition, field: ComparedField, nameOf: (id: string) => string): string {
  switch (field) {
    case 'tools':
      return version.tools
        .map(({ toolId, methods }) => `${nameOf(toolId)}: ${methods === null ? '*' : methods.join(', ')}`)
        .join('\n');
    case 'allowedUserIds':
      return version.allowedUserIds.map(nameOf).join('\n');
    case 'settings':
    case 'knowledge':
      return Object.entries(version[field])
        .filter(([, value]) => value !== null)
        .map(([name, value]) => `${name}: ${value}`)
        .join('\n');
    case 'variables':
    case 'localTools':
      return version[field].length === 0 ? '' : JSON.stringify(version[field], null, 2);
    case 'name':
    case 'description':
    case 'model':
    case 'systemPrompt':
    case 'accessScope':
    case 'askUser':
      return String(version[field]);
  }
}
