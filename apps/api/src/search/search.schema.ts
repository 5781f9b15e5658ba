/** In the order of results. */
export const SEARCH_KINDS = [
  'agent',
  'task',
  'tool',
  'method',
  'event',
  'application',
  'document',
  'session',
  'member',
  'run',
  'envelope',
  'turn',
  'job',
  'subscription',
] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

export class SearchHitDto {
  kind!: SearchKind;
  /** Of an event and a method: its name; of an application: its identifier; of a session: its `session_id`. */
  id!: string;
  title!: string;
  /** The beginning of its description, or what tells it from others of the same name. */
  text!: string;
  /** The tool of a method, the application of an event, the agent of a session or turn, the task of a run. */
  parentId!: string | null;
}
