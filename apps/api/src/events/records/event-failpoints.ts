import { failpoint } from '../../infra/runtime/failpoints.ts';

/** Every place on the way of an event at which fault tests can break it, in the order in which it passes them. */
export const EVENT_FAILPOINTS = [
  'events.emit.before-commit',
  'events.emit.after-commit',
  'events.emit.before-response',
  'events.dispatch.after-claim',
  'events.dispatch.after-lock',
  'events.dispatch.after-match',
  'events.dispatch.before-commit',
  'events.dispatch.after-commit',
  'events.dispatch.after-publish',
] as const;
export type EventFailpoint = (typeof EVENT_FAILPOINTS)[number];

/** `subject`: the envelope in hand. */
export function eventFailpoint(name: EventFailpoint, subject?: string): void {
  failpoint(name, subject);
}
