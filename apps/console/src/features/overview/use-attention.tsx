import type { RunListing, TurnListing } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../paths.ts';
import { useAgentName } from '../agents/agent-names.ts';
import { failedRunsQuery, failedTurnsQuery, waitingTurnsQuery } from './live-queries.ts';

/** More would push everything else out of sight. */
const SHOWN = 6;

interface Entry {
  key: string;
  at: string;
  to: string;
  isQuestion: boolean;
  title: string;
  reason: ReactNode;
}

interface Attention {
  entries: Entry[];
  /** Why some of them are unknown; null if all are known. */
  error: Error | null;
  retry: () => void;
}

/** The questions first, then the failures, newest first. */
export function useAttention(isAdmin: boolean): Attention {
  const { t } = useTranslation();
  const waiting = useQuery(waitingTurnsQuery);
  const turns = useQuery(failedTurnsQuery(isAdmin));
  const runs = useQuery(failedRunsQuery);
  const nameOf = useAgentName();

  const question = (turn: TurnListing): Entry => ({
    key: turn.id,
    at: turn.createdAt,
    to: paths.playground(turn.agentId, turn.session?.sessionId),
    isQuestion: true,
    title: turn.session?.title || nameOf(turn),
    reason: t('overview.asks', { agent: nameOf(turn) }),
  });
  const failedTurn = (turn: TurnListing): Entry => ({
    key: turn.id,
    at: turn.createdAt,
    to:
      turn.session === null
        ? paths.traces({ scope: 'space', status: 'FAILED', agent: turn.agentId })
        : paths.trace(turn.agentId, turn.turnId),
    isQuestion: false,
    title: turn.session?.title || nameOf(turn),
    reason: (
      <>
        <span className="mono">{turn.errorCode}</span> · {nameOf(turn)}
        {turn.session === null && turn.user && ` · ${turn.user.name}`}
      </>
    ),
  });
  const failedRun = (run: RunListing): Entry => ({
    key: run.id,
    at: run.createdAt,
    to: paths.run(run.id),
    isQuestion: false,
    title: run.taskName,
    reason: (
      <>
        <span className="mono">{run.error?.code}</span> {run.error?.message}
      </>
    ),
  });
  const byTime = (a: Entry, b: Entry) => (a.at < b.at ? 1 : -1);
  const failures = [
    ...(turns.data?.items ?? []).map(failedTurn),
    ...(runs.data?.items ?? []).map(failedRun),
  ].sort(byTime);
  const failed = [waiting, turns, runs].filter(({ isError, data }) => isError && data === undefined);
  return {
    entries: [...(waiting.data?.items ?? []).map(question), ...failures].slice(0, SHOWN),
    error: failed[0]?.error ?? null,
    retry: () => failed.forEach(({ refetch }) => void refetch()),
  };
}
