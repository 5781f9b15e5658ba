import {
  COLUMN_TYPES,
  type ApplicationManifest,
  type JsonSchema,
  type ManifestColumn,
} from '@platform/contracts';
import { findMisfits } from '../data/tables/payload-fit.ts';
import { checkTables } from '../data/tables/columns.ts';
import { checkBatch } from '../events/subscriptions/batch.ts';
import { checkDebounce } from '../events/subscriptions/debounce.ts';
import { checkFilter } from '../events/subscriptions/filter.ts';
import { findUnfit } from '../events/subscriptions/filter-fit.ts';
import { MAX_SCHEMA_BYTES } from '../events/catalog/payload-schemas.service.ts';
import { isText } from '../infra/requests/text.ts';
import { isObject, type JsonObject } from '../infra/runtime/json.ts';
import {
  formatPointerProblem,
  problemAt,
  unknownKeys,
  type Path,
  type Problem,
} from '../tasks/definition/problems.ts';
import { findStepKind } from '../tasks/definition/step-kinds.ts';
import { checkPayloadTemplates, placeSteps } from '../tasks/definition/workflow.ts';

export const MAX_EVENTS = 200;
const MAX_SUBSCRIPTIONS = 200;
/** How many templates are named that cannot be resolved. */
const MAX_UNRESOLVED = 20;
const MAX_NAME_LENGTH = 120;
const MAX_EVENT_NAME_LENGTH = 120;
const MAX_DESCRIPTION_LENGTH = 1_000;
const MAX_RECURSION = 8;
const IDENTIFIER = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const VERSION = /^[0-9A-Za-z][0-9A-Za-z.+_-]{0,62}$/;
const EVENT_NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/;
const KEY = /^[A-Za-z0-9_-]{1,64}$/;
const FIELDS = ['identifier', 'name', 'version', 'events', 'tables', 'tasks', 'subscriptions', 'tools'];

/** Returns what is wrong with the tasks of a manifest; each sentence starts with the JSON pointer of the value. */
export type TasksCheck = (tasks: unknown, pointer: string) => string[];

/**
 * Returns what is wrong with a manifest; each sentence starts with the JSON pointer of the value. If there is nothing, and
 * nothing is wrong with its payload schemas, the value is an `ApplicationManifest`.
 */
export function checkManifest(manifest: unknown, checkTasks: TasksCheck): string[] {
  if (!isObject(manifest)) return ['The manifest must be a JSON object'];
  const { events, tables, tasks, subscriptions, tools } = manifest;
  const problems = [
    ...formatted(unknownKeys(manifest, FIELDS, [])),
    ...formatted(checkHead(manifest)),
    ...unlessAbsent(events, checkEvents),
    ...unlessAbsent(tables, (given) => formatted(checkTables(given, ['tables']))),
    ...formatted(checkEmittedEvents(tables, declaredSchemas(events))),
    ...unlessAbsent(tasks, (given) => checkTasks(given, '/tasks')),
    ...formatted(checkSteps(manifest)),
    ...unlessAbsent(subscriptions, (given) => checkSubscriptions(given, manifest)),
    ...unlessAbsent(tools, checkTools),
  ];
  // Only of a manifest whose shape is right.
  return problems.length > 0 ? problems : formatted(checkTemplatesFit(manifest));
}

function checkHead({ identifier, name, version }: JsonObject): Problem[] {
  const isIdentifier = typeof identifier === 'string' && IDENTIFIER.test(identifier);
  return [
    ...problemAt(
      ['identifier'],
      isIdentifier
        ? null
        : 'must be 1 to 63 lowercase letters, digits, ., _ or -, and start with a letter or digit',
    ),
    ...problemAt(['name'], nameProblem(name)),
    ...problemAt(
      ['version'],
      typeof version === 'string' && VERSION.test(version)
        ? null
        : 'must be a text such as 1.0.0: 1 to 63 letters, digits, ., +, _ or -',
    ),
  ];
}

function checkEvents(events: unknown): string[] {
  if (!Array.isArray(events) || events.length > MAX_EVENTS) {
    return [`/events must be an array of at most ${MAX_EVENTS} events`];
  }
  const names = new Set<unknown>();
  return events.flatMap((event: unknown, i) => {
    const at: Path = ['events', i];
    if (!isObject(event)) return formatted([{ path: at, text: 'must be an object' }]);
    const { name, description, recursionLimit = null } = event;
    const isLimit = recursionLimit === null || isIntegerBetween(recursionLimit, 1, MAX_RECURSION);
    const problems = [
      ...unknownKeys(event, ['name', 'description', 'payloadSchema', 'recursionLimit'], at),
      ...problemAt([...at, 'name'], eventNameProblem(name, names)),
      ...problemAt([...at, 'description'], descriptionProblem(description)),
      ...problemAt(
        [...at, 'recursionLimit'],
        isLimit ? null : `must be an integer from 1 to ${MAX_RECURSION}`,
      ),
    ];
    names.add(name);
    return formatted(problems);
  });
}

/** What a table emits must be an event of the manifest whose schema some rows can satisfy. */
function checkEmittedEvents(tables: unknown, schemas: ReadonlyMap<string, JsonSchema>): Problem[] {
  if (!Array.isArray(tables)) return [];
  return tables.flatMap((table: unknown, i) => {
    if (!isObject(table) || !isObject(table.emits)) return [];
    const { onInsert } = table.emits;
    if (typeof onInsert !== 'string') return [];
    const path: Path = ['tables', i, 'emits', 'onInsert'];
    const schema = schemas.get(onInsert);
    if (schema === undefined) {
      return [{ path, text: `must name an event of the manifest; it has no ${onInsert}` }];
    }
    const columns: readonly unknown[] = Array.isArray(table.columns) ? table.columns : [];
    if (!columns.every(isColumn)) return [];
    return findMisfits(columns, schema).map((reason) => ({
      path,
      text: `names ${onInsert}, whose payloadSchema ${reason}`,
    }));
  });
}

/** What steps say of the application itself must agree with the rest of the manifest. */
function checkSteps({ identifier, events, tables, tasks }: JsonObject): Problem[] {
  const declared = new Set(declaredSchemas(events).keys());
  const facts = { identifier, events: declared, tables: declaredColumns(tables) };
  if (!Array.isArray(tasks)) return [];
  return tasks.flatMap((task: unknown, i) => {
    const steps = isObject(task) && isObject(task.workflow) ? task.workflow.steps : null;
    return placeSteps(steps, ['tasks', i, 'workflow', 'steps']).flatMap(({ step, path: at }) => {
      const problems = findStepKind(step.kind)?.checkInManifest?.(step, facts) ?? [];
      return problems.map(({ path, text }) => ({ path: [...at, ...path], text }));
    });
  });
}

function checkSubscriptions(subscriptions: unknown, { events, tasks }: JsonObject): string[] {
  if (!Array.isArray(subscriptions) || subscriptions.length > MAX_SUBSCRIPTIONS) {
    return [`/subscriptions must be an array of at most ${MAX_SUBSCRIPTIONS} subscriptions`];
  }
  const schemas = declaredSchemas(events);
  const known = { events: new Set<unknown>(schemas.keys()), tasks: eventTasks(tasks) };
  const keys = new Set<unknown>();
  return subscriptions.flatMap((subscription: unknown, i) => {
    const at: Path = ['subscriptions', i];
    if (!isObject(subscription)) return formatted([{ path: at, text: 'must be an object' }]);
    const { key, event, taskKey, filter, debounce, batch, enabled = null } = subscription;
    const isFlag = enabled === null || typeof enabled === 'boolean';
    const isEvent = known.events.has(event);
    const problems = [
      ...unknownKeys(subscription, ['key', 'event', 'taskKey', 'filter', 'debounce', 'batch', 'enabled'], at),
      ...problemAt([...at, 'key'], keyProblem(key, keys)),
      ...problemAt([...at, 'event'], isEvent ? null : 'must name an event of the manifest'),
      ...problemAt([...at, 'taskKey'], taskProblem(known.tasks.get(taskKey))),
      ...problemAt([...at, 'enabled'], isFlag ? null : 'must be true or false'),
    ];
    keys.add(key);
    const wrong = [
      ...checkFilter(filter, `/subscriptions/${i}/filter`),
      ...checkDebounce(debounce, `/subscriptions/${i}/debounce`),
      ...checkBatch(batch, `/subscriptions/${i}/batch`),
      ...(debounce && batch ? [`/subscriptions/${i} must not have both debounce and batch`] : []),
    ];
    if (wrong.length > 0 || problems.length > 0) return [...formatted(problems), ...wrong];
    const unfit = findUnfit(subscription, schemas.get(event as string) ?? true);
    return formatted(unfit.map(({ path, text }) => ({ path: [...at, ...path], text })));
  });
}

/** Whether the events that a manifest subscribes its tasks to can resolve their templates. */
function checkTemplatesFit(manifest: JsonObject): Problem[] {
  const { events, tasks, subscriptions } = partsOf(manifest as object as ApplicationManifest);
  const schemas = declaredSchemas(events);
  const starts = new Map(
    subscriptions.map(({ event, taskKey, batch }) => [
      `${taskKey} ${event} ${batch != null}`,
      { event, taskKey, isBatch: batch != null },
    ]),
  );
  const problems: Problem[] = [];
  for (const { event, taskKey, isBatch } of starts.values()) {
    const i = tasks.findIndex(({ key }) => key === taskKey);
    const path = ['tasks', i, 'workflow'];
    const { workflow } = tasks[i] ?? {};
    if (workflow !== undefined)
      problems.push(...checkPayloadTemplates(workflow, schemas.get(event) ?? true, path, isBatch));
    if (problems.length >= MAX_UNRESOLVED) break;
  }
  return problems.slice(0, MAX_UNRESOLVED);
}

function checkTools(tools: unknown): string[] {
  return Array.isArray(tools) && tools.length === 0
    ? []
    : ['/tools must be empty: applications install no tools. Create them through /api/tools'];
}

/** The schemas of the declared events by name; `true` if the shape of a schema is wrong. */
function declaredSchemas(events: unknown): Map<string, JsonSchema> {
  const schemas = new Map<string, JsonSchema>();
  for (const event of Array.isArray(events) ? events : []) {
    if (!isObject(event) || typeof event.name !== 'string') continue;
    const { payloadSchema } = event;
    const isJudged = payloadSchema === false || (isObject(payloadSchema) && isSmall(payloadSchema));
    schemas.set(event.name, isJudged ? payloadSchema : true);
  }
  return schemas;
}

function declaredColumns(tables: unknown): Map<string, ManifestColumn[]> {
  const declared = (Array.isArray(tables) ? tables : []).flatMap(
    (table: unknown): [string, ManifestColumn[]][] => {
      if (!isObject(table) || typeof table.name !== 'string') return [];
      return [[table.name, Array.isArray(table.columns) ? table.columns.filter(isColumn) : []]];
    },
  );
  return new Map(declared);
}

/** A schema that is larger is refused for that reason, and not judged in any other way. */
function isSmall(schema: JsonObject): boolean {
  return JSON.stringify(schema).length <= MAX_SCHEMA_BYTES;
}

/** Whether each declared task can be started by events. */
function eventTasks(tasks: unknown): Map<unknown, boolean> {
  const found = new Map<unknown, boolean>();
  for (const task of Array.isArray(tasks) ? tasks : []) {
    if (!isObject(task)) continue;
    const isScheduled = (task.schedule ?? null) !== null;
    found.set(task.key, (task.type ?? (isScheduled ? 'SCHEDULE' : 'EVENT')) === 'EVENT');
  }
  return found;
}

function taskProblem(isEventTask: boolean | undefined): string | null {
  if (isEventTask === undefined) return 'must be the key of a task of the manifest';
  return isEventTask ? null : 'must name a task of type EVENT';
}

function nameProblem(name: unknown): string | null {
  return isText(name) && name.trim() !== '' && name.length <= MAX_NAME_LENGTH
    ? null
    : `must be a text of 1 to ${MAX_NAME_LENGTH} characters`;
}

function descriptionProblem(description: unknown): string | null {
  return isText(description) && description.length <= MAX_DESCRIPTION_LENGTH
    ? null
    : `must be a text of at most ${MAX_DESCRIPTION_LENGTH} characters`;
}

function eventNameProblem(name: unknown, names: ReadonlySet<unknown>): string | null {
  if (typeof name !== 'string' || name.length > MAX_EVENT_NAME_LENGTH || !EVENT_NAME.test(name)) {
    return `must be lowercase parts joined by dots, such as order.created, of at most ${MAX_EVENT_NAME_LENGTH} characters`;
  }
  return names.has(name) ? `must be unique: another event has the name ${name}` : null;
}

function keyProblem(key: unknown, keys: ReadonlySet<unknown>): string | null {
  if (typeof key !== 'string' || !KEY.test(key)) return 'must be 1 to 64 letters, digits, _ or -';
  return keys.has(key) ? `must be unique: another subscription has the key ${key}` : null;
}

function isColumn(column: unknown): column is ManifestColumn {
  return (
    isObject(column) &&
    typeof column.name === 'string' &&
    (COLUMN_TYPES as readonly unknown[]).includes(column.type)
  );
}

function isIntegerBetween(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

/** Null counts as absent, as everywhere. */
function unlessAbsent(value: unknown, check: (value: unknown) => string[]): string[] {
  return value === undefined || value === null ? [] : check(value);
}

function formatted(problems: readonly Problem[]): string[] {
  return problems.map((problem) => formatPointerProblem('', problem));
}

/** The parts of a manifest, none of them absent. */
export function partsOf({ events, tables, tasks, subscriptions }: ApplicationManifest) {
  return {
    events: events ?? [],
    tables: tables ?? [],
    tasks: tasks ?? [],
    subscriptions: subscriptions ?? [],
  };
}
