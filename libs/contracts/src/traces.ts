import type { ListTurnsQuery } from './schemas.ts';

/** What started a turn. */
export const TURN_SOURCES = ['chat', 'execute', 'job', 'task'] as const;
export type TurnSource = (typeof TURN_SOURCES)[number];
export type TurnQuery = ListTurnsQuery;

export type SpanKind = 'queue' | 'search' | 'model' | 'tool' | 'question';

export type SpanStatus = 'running' | 'waiting' | 'succeeded' | 'failed' | 'denied' | 'cancelled';
