import type { ListTurnsQuery } from './schemas.ts';

/** What started a turn. */
export const TURN_SOURCES = ['chat', 'execute', 'job', 'task'] as const;
export type TurnSource = (typeof TURN_SOURCES)[number];
export type TurnQuery = ListTurnsQuery;

export const SPAN_KINDS = ['queue', 'search', 'model', 'tool', 'question'] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];

export const SPAN_STATUSES = ['running', 'waiting', 'succeeded', 'failed', 'denied', 'cancelled'] as const;
export type SpanStatus = (typeof SPAN_STATUSES)[number];
