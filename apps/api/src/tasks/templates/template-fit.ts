import { EVENT_SOURCES, type JsonSchema, type TaskType } from '@platform/contracts';
import { findAtPath, proposal } from '../../infra/schemas/schema-path.ts';
import { findExpressions, type Expression } from './template.ts';

const MAX_EXPRESSION_LENGTH = 500;
const ROOTS = ['inputs', 'trigger', 'steps'];
/** How many problems of one value are named. */
const MAX_PROBLEMS = 20;

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
/** What every event sets; the schema of the payload differs. A batch has `items` in place of a payload. */
const TRIGGER = closed({
  event: text,
  payload: {},
  source: { enum: EVENT_SOURCES },
  id: text,
  emittedAt: text,
  spaceId: text,
  actorUserId: textOrNull,
  causationId: textOrNull,
  depth: { type: 'integer' },
  items: { type: 'array' },
  itemCount: { type: 'integer' },
});

/** What the templates of a step can refer to besides the inputs and the trigger. */
export interface VisibleNames {
  /** The steps before it: what is known of their outputs, by their ids. */
  outputs: ReadonlyMap<string, JsonSchema>;
  /** What steps around it define, such as `item`. */
  names: readonly string[];
}

/** A schema of objects that have no other fields. */
export function closed(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', properties, additionalProperties: false };
}

/** Returns what is wrong with the expressions of a value, whatever starts the task. Each sentence continues the path of the value. */
export function checkTemplates(value: unknown, visible: VisibleNames): string[] {
  return problemsOf(value, (found) => problemOf(found, visible));
}

/** Returns why expressions of a value have no value in any run that an event with the schema starts, or a batch of such events. */
export function checkAgainstPayload(value: unknown, schema: JsonSchema, isBatch: boolean): string[] {
  return problemsOf(value, ({ text: written, path: [root, member, ...rest], fallback }) => {
    if (root !== 'trigger') return null;
    if (isBatch && member === 'payload')
      return fallback === undefined
        ? `has ${written}, but a batch has a payload for each event, such as {{trigger.items.0.payload}}`
        : null;
    if (!isBatch && (member === 'items' || member === 'itemCount'))
      return fallback === undefined ? `has ${written}, but the events are not collected in batches` : null;
    const names = member === 'items' ? payloadPath(rest) : member === 'payload' ? rest : null;
    if (names === null) return null;
    const { problem } = findAtPath(names, schema);
    return problem === null ? null : `has ${written}, but the event ${problem}`;
  });
}

/** The path in the payload of an item; null if it is not in there. */
function payloadPath([index, member, ...names]: string[]): string[] | null {
  return index !== undefined && member === 'payload' ? names : null;
}

/** Returns why expressions of a value have no value in any run of a task of the type. */
export function checkAgainstType(value: unknown, type: TaskType): string[] {
  if (type === 'EVENT') return [];
  return problemsOf(value, ({ text: written, path: [root], fallback }) =>
    root === 'trigger' && fallback === undefined
      ? `has ${written}, but no event starts a task of type ${type}`
      : null,
  );
}

function problemsOf(value: unknown, judge: (expression: Expression) => string | null): string[] {
  const problems: string[] = [];
  for (const expression of findExpressions(value)) {
    const problem = judge(expression);
    if (problem !== null) problems.push(problem);
    if (problems.length === MAX_PROBLEMS) break;
  }
  return problems;
}

function problemOf(
  { text: written, path }: Expression,
  { outputs, names: defined }: VisibleNames,
): string | null {
  if (written.length > MAX_EXPRESSION_LENGTH)
    return `has an expression of more than ${MAX_EXPRESSION_LENGTH} characters`;
  const [root = '', ...names] = path;
  const roots = [...ROOTS, ...defined];
  if (!roots.includes(root) || path.includes(''))
    return `has ${written}, which must be a path that starts with ${or(roots)}`;
  if (root === 'inputs' || defined.includes(root)) return null;
  if (root === 'trigger') {
    const { problem } = findAtPath(names, TRIGGER);
    return problem === null ? null : `has ${written}, but the trigger ${problem}`;
  }
  const [step, member, ...inOutput] = names;
  if (step === undefined || member !== 'output')
    return `has ${written}, which must be {{steps.<id>.output…}}`;
  const output = outputs.get(step);
  if (output === undefined)
    return `has ${written}, but no earlier step has the id ${step}${proposal(step, [...outputs.keys()])}`;
  const { problem } = findAtPath(inOutput, output);
  return problem === null ? null : `has ${written}, but the output of the step ${problem}`;
}

function or(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')}, or ${words.at(-1)}`;
}
