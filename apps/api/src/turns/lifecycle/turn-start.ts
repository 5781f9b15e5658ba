import type { ContentItem } from '@platform/contracts';
import type { InvocableAgent } from '../../agents/invocable-agent.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import type { TurnSettings } from '../records/turn.ts';

/** A turn as a caller starts it. */
export interface TurnStart {
  caller: UserPrincipal;
  agent: InvocableAgent;
  contents: ContentItem[];
  /** Null for a new session or, if the turn is already known, for the session that it has. */
  sessionName: string | null;
  /** Null for a new id. */
  turnId: string | null;
  settings: TurnSettings;
  requestId: string | null;
  /** Whether to keep the session out of all lists, as for an execution without memory. */
  hidden?: boolean;
}

/** A start with its ids decided. */
export interface NewTurn extends TurnStart {
  turnId: string;
  sessionName: string;
}

/** The user and the request that a known turn continues for. */
export interface TurnRunBy {
  agent: InvocableAgent;
  userId: string;
  requestId: string | null;
}

/** Thrown if the turn has changed since it was read. The caller reads it again and decides anew. */
export class TurnChanged extends Error {}
