import { ExclamationCircleFilled, QuestionCircleFilled } from '@ant-design/icons';
import type { Run, TurnListing } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../paths.ts';
import { Time } from '../../ui/format/time.tsx';
import { allAgentsQuery } from '../agents/agents-query.ts';
import { useIsAdmin } from '../auth/session.ts';
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

/** Questions that wait for the user, and what failed lately, with the reason. Nothing if there is nothing to do. */
export function Attention() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const agents = useQuery(allAgentsQuery);
  const waiting = useQuery(waitingTurnsQuery);
  const turns = useQuery(failedTurnsQuery(isAdmin));
  const runs = useQuery(failedRunsQuery);
  const nameOf = ({ agentId }: TurnListing) =>
    agents.data?.find(({ id }) => id === agentId)?.name ?? t('jobs.deletedAgent');

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
  const failedRun = (run: Run): Entry => ({
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
  const entries = [...(waiting.data?.items ?? []).map(question), ...failures].slice(0, SHOWN);
  if (entries.length === 0) return null;

  return (
    <section className="card" aria-label={t('overview.attention')}>
      <header className="card-head row">
        <h2 className="grow">{t('overview.attention')}</h2>
        <Link to={paths.traces({ status: 'FAILED', ...(isAdmin && { scope: 'space' }) })}>
          {t('overview.failedTurns')}
        </Link>
        <Link to={paths.runs('FAILED')}>{t('overview.failedRuns')}</Link>
      </header>
      <ul className="card-body latest">
        {entries.map(({ key, at, to, isQuestion, title, reason }) => (
          <li key={key}>
            {isQuestion ? (
              <QuestionCircleFilled aria-hidden className="warning-text" />
            ) : (
              <ExclamationCircleFilled aria-hidden className="danger-text" />
            )}
            <span className="grow attention-text">
              <Link to={to} className="primary-link truncate">
                {title}
              </Link>
              <span className="muted truncate">{reason}</span>
            </span>
            <span className="muted latest-time">
              <Time iso={at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
