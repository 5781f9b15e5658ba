import type { TurnListing } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../paths.ts';
import { formatDuration } from '../../ui/format/duration.ts';
import { Time } from '../../ui/format/time.tsx';
import { useNumbers } from '../../ui/format/use-numbers.ts';
import type { Column } from '../../ui/lists/column.ts';
import { useAgentName } from '../agents/agent-names.ts';
import { TurnStatusBadge } from './turn-status.tsx';

/** The columns of a list of turns: the user's own, or those of the space. */
export function useTurnColumns(inSpace: boolean): Column<TurnListing>[] {
  const { t, i18n } = useTranslation();
  const { whole, charged } = useNumbers();
  const agentName = useAgentName();
  return [
    {
      key: 'turn',
      title: t('traces.turn'),
      render: (turn) => <TurnName turn={turn} agent={agentName(turn)} inSpace={inSpace} />,
    },
    {
      key: 'status',
      title: t('traces.status'),
      width: 138,
      render: ({ status, errorCode }) => (
        <>
          <TurnStatusBadge status={status} />
          {errorCode !== null && <div className="mono muted truncate error-code">{errorCode}</div>}
        </>
      ),
    },
    {
      key: 'model',
      title: t('traces.model'),
      width: '17%',
      render: ({ model }) => <span className="mono truncate block">{model}</span>,
    },
    {
      key: 'duration',
      title: t('traces.duration'),
      width: 92,
      render: ({ execution_time: time }) => (
        <span className="tabular">{time === null ? '…' : formatDuration(time * 1_000, i18n.language)}</span>
      ),
    },
    {
      key: 'tokens',
      title: t('traces.tokens'),
      width: 84,
      render: ({ token_usage: usage }) => <span className="tabular">{whole(usage.total_tokens)}</span>,
    },
    {
      key: 'cost',
      title: t('traces.cost'),
      width: 92,
      render: ({ token_usage: usage }) => (
        <span className={usage.cost > 0 ? 'tabular' : 'muted'}>
          {charged(usage.cost, usage.total_tokens)}
        </span>
      ),
    },
    {
      key: 'created',
      title: t('traces.started'),
      width: 112,
      render: ({ createdAt }) => <Time iso={createdAt} />,
    },
  ];
}

interface TurnNameProps {
  turn: TurnListing;
  agent: string;
  inSpace: boolean;
}

/** The conversation of a turn, or only its agent and user if the conversation is private. */
function TurnName({ turn, agent, inSpace }: TurnNameProps) {
  const { t } = useTranslation();
  return turn.session === null ? (
    <>
      <span className="primary-link">{agent}</span>
      <div className="muted truncate">{turn.user?.name ?? t('traces.formerUser')}</div>
    </>
  ) : (
    <>
      <Link to={paths.trace(turn.agentId, turn.turnId)} className="primary-link truncate block">
        {turn.session.title || t('traces.untitled')}
      </Link>
      <div className="muted truncate">
        {agent}
        {inSpace && turn.user && ` · ${turn.user.name}`}
        {turn.source !== null && turn.source !== 'chat' && ` · ${t(`traces.sources.${turn.source}`)}`}
      </div>
    </>
  );
}
