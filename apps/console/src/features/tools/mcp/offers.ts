import type {
  ChosenOffer,
  ImportToolRequest,
  Tool,
  ToolImport,
  ToolMethod,
  ToolOffer,
} from '@platform/contracts';
import { formatJson } from '../../../ui/code/json-view.tsx';
import { diffLines, skipUnchanged, type DiffLine, type SkippedLines } from '../../../ui/diff/line-diff.ts';

/** Of a server with more tools, only the user knows which are needed. */
const MAX_SUGGESTED = 20;
const FIELDS = ['description', 'inputSchema', 'outputSchema', 'acts'] as const;

/** An offer is new or changed as one thing, whatever its method is called. */
export const keyOf = ({ tool, hash }: ToolOffer): string =>
  `${hash === null ? 'removed' : 'offered'}:${tool}`;

export const isChoosable = ({ status }: ToolOffer): boolean => status !== 'unchanged';

/** What is chosen at first: all of a small server that was never imported. Nothing that has changed is approved unseen. */
export function suggestOffers({ tool, offers }: ToolImport): ReadonlySet<string> {
  const isFirst = tool.methods.length === 0 && offers.length <= MAX_SUGGESTED;
  return new Set(isFirst ? offers.map(keyOf) : []);
}

export function matchesOffer({ tool, name, description }: ToolOffer, search: string): boolean {
  const text = [tool, name, description].join('\n').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The request that imports and deletes what was chosen. */
export function toRequest(
  { tool, offers }: ToolImport,
  chosen: ReadonlySet<string>,
  kept: ReadonlySet<string>,
): ImportToolRequest {
  const taken = offers.filter((offer) => chosen.has(keyOf(offer)));
  return {
    methods: taken.flatMap(({ tool: key, hash }): ChosenOffer[] =>
      hash === null ? [] : [{ tool: key, hash, ...(kept.has(key) && { keepEdits: true }) }],
    ),
    remove: taken.filter(({ hash }) => hash === null).map(({ name }) => name),
    ...(tool.updatedAt !== null && { updatedAt: tool.updatedAt }),
  };
}

/** Whether an edit of the user and a change of the server concern the same field. */
export const hasConflict = ({ changes, edits }: ToolOffer): boolean =>
  changes.some((field) => edits.includes(field));

type OfferField = (typeof FIELDS)[number];

export interface FieldChange {
  field: OfferField;
  lines: (DiffLine | SkippedLines)[];
}

/** What the server has changed in a method since an admin approved it. */
export function listChanges({ imported, pending }: ToolMethod): FieldChange[] {
  if (imported === null || pending === null) return [];
  return FIELDS.flatMap((field): FieldChange[] => {
    const [before, after] = [toText(imported[field]), toText(pending[field])];
    if (before === after) return [];
    return [{ field, lines: skipUnchanged(diffLines(before.split('\n'), after.split('\n'))) }];
  });
}

export const methodOf = ({ methods }: Tool, { name }: ToolOffer): ToolMethod | undefined =>
  methods.find((method) => method.name === name);

function toText(value: unknown): string {
  return typeof value === 'string' ? value : formatJson(value);
}
