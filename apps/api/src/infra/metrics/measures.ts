import { Counter, Histogram } from 'prom-client';

// What this process has done since it started. Each is counted once it is stored.

/** For what takes from milliseconds, such as a read, to minutes, such as a stream. */
const BUCKETS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30, 120];

export const requestSeconds = new Histogram({
  name: 'platform_http_request_seconds',
  help: 'From the request to the end of the response: of a stream, until it is closed. Route: as in the OpenAPI document, or other',
  labelNames: ['method', 'route', 'status'],
  buckets: BUCKETS,
  registers: [],
});

export const modelCallSeconds = new Histogram({
  name: 'platform_model_call_seconds',
  help: 'Calls of models by turns. Outcome: completed, failed, or stopped, as when the turn is canceled',
  labelNames: ['outcome'],
  buckets: BUCKETS,
  registers: [],
});

export const turnsEnded = new Counter({
  name: 'platform_turns_ended_total',
  help: 'Turns that ended, or ask a question, by what became of them',
  labelNames: ['status'],
  registers: [],
});

export const runsEnded = new Counter({
  name: 'platform_runs_ended_total',
  help: 'Runs of tasks that were executed and have ended, without attempts that are followed by another one',
  labelNames: ['status'],
  registers: [],
});

export const eventsDispatched = new Counter({
  name: 'platform_events_dispatched_total',
  help: 'Events by what became of them. Outcome: matched, unmatched if no subscription was for it, or failed',
  labelNames: ['outcome'],
  registers: [],
});
