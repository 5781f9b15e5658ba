import { Injectable } from '@nestjs/common';
import type { Page, Trace, TurnListing, TurnQuery, UserSummary } from '@platform/contracts';
import { mayManage, type InvocableAgent } from '../../agents/invocable-agent.ts';
import { IdentityService } from '../../auth/people/identity.service.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { forbidden, invalid } from '../../infra/errors/app-error.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import { formatUsage, seconds } from '../answers/token-usage.ts';
import { TurnsService } from '../lifecycle/turns.service.ts';
import { loadSettings } from '../records/turn.store.ts';
import { loadAttachmentLinks, showPart } from '../sessions/attachment-links.ts';
import { buildSpans } from './spans.ts';
import {
  lastLookedAt,
  listTurns,
  loadTraceRecords,
  type ListedTurn,
  type TurnFilter,
} from './traces.store.ts';
import type { TurnQueryDto } from './traces.dto.ts';

/** Finds turns, and shows what happened in them. */
@Injectable()
export class TracesService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly identity: IdentityService,
    private readonly turns: TurnsService,
  ) {}

  /**
   * Lists turns, newest first. A page looks at a bounded number of turns: with a filter that matches few of them, it can
   * be short or empty and still have a next page.
   */
  async list(caller: UserPrincipal, { limit, cursor, ...query }: TurnQueryDto): Promise<Page<TurnListing>> {
    const filter = filterOf(caller, query);
    const bound = { turnsOf: filter };
    const after = this.cursors.idAfter(cursor, bound);
    const found = await listTurns(this.database, filter, after, limit + 1);
    const shown = found.slice(0, limit);
    const last =
      found.length > limit ? (shown.at(-1)?.id ?? null) : await lastLookedAt(this.database, filter, after);
    const people = await this.identity.findUsersByIds([...new Set(shown.map(({ userId }) => userId))]);
    return {
      items: shown.map((turn) => toListing(turn, caller, people)),
      nextCursor: last === null ? null : this.cursors.encode([last], bound),
    };
  }

  /** The caller's turn with its spans. */
  async trace(caller: UserPrincipal, agent: InvocableAgent, turnId: string): Promise<Trace> {
    const agentId = agent.id;
    const turn = await this.turns.find(caller, agentId, turnId);
    const described = await this.turns.describe(caller, agentId, turnId);
    const records = await loadTraceRecords(this.database, turn.id, turn.sessionRef);
    const parts = records.steps.flatMap((step) => (step.kind === 'user' ? step.content.parts : []));
    const files = parts.filter(({ type }) => type !== 'text');
    const linkOf = await loadAttachmentLinks(
      this.database,
      { agentId, sessionId: described.sessionId },
      files,
    );
    const { traceparent = null } = await loadSettings(this.database, turn.id);
    const detail = mayManage(caller, agent) ? turn.error?.detail : undefined;
    return {
      ...described,
      error: described.error && { ...described.error, ...(detail !== undefined && { detail }) },
      source: turn.settings.source,
      runId: turn.causationRunId,
      sessionListed: !records.sessionHidden,
      input: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n'),
      attachments: files.map((part) => showPart(part, linkOf)),
      spans: buildSpans({ ...turn, ...records }),
      traceparent,
    };
  }
}

/** What the caller may list: their own turns, or as an admin those of the space. */
function filterOf(caller: UserPrincipal, query: TurnQuery): TurnFilter {
  const { scope = 'own', userId, ...filter } = query;
  const { spaceId } = caller;
  if (filter.sessionId !== undefined && filter.agentId === undefined)
    throw invalid('sessionId requires agentId, because sessions belong to an agent');
  if (scope === 'own') {
    if (userId !== undefined) throw invalid('userId requires scope=space');
    return { ...filter, spaceId, userId: caller.userId };
  }
  if (caller.role !== 'ADMIN') throw forbidden('Only admins can list the turns of the space');
  for (const name of ['sessionId', 'search'] as const)
    if (filter[name] !== undefined) throw invalid(`${name} requires scope=own, because sessions are private`);
  return { ...filter, spaceId, userId: userId ?? null };
}

function toListing(turn: ListedTurn, caller: UserPrincipal, people: Map<string, UserSummary>): TurnListing {
  const { sessionName: sessionId, sessionTitle: title, sessionHidden } = turn;
  return {
    id: turn.id,
    turnId: turn.turnId,
    agentId: turn.agentId,
    user: people.get(turn.userId) ?? null,
    session: turn.userId === caller.userId ? { sessionId, title, isListed: !sessionHidden } : null,
    source: turn.source,
    status: turn.status,
    errorCode: turn.errorCode,
    model: turn.model,
    token_usage: formatUsage(turn),
    createdAt: turn.createdAt.toISOString(),
    startedAt: turn.startedAt?.toISOString() ?? null,
    finishedAt: turn.finishedAt?.toISOString() ?? null,
    execution_time: turn.finishedAt && seconds(turn.executionMs),
  };
}
