import { ReloadOutlined, WarningOutlined } from '@ant-design/icons';
import type { ContentItem } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../ui/copy-button.tsx';
import { hasTurnId } from './live-turn.ts';
import { turnQuery } from './turn-query.ts';
import type { TurnView } from './turn-list.ts';

interface FailureCardProps {
  agentId: string;
  turn: TurnView;
  onRetry: (turnId: string, contents: ContentItem[]) => void;
}

/** Why a turn failed, with the ids that a bug report needs. */
export function FailureCard({ agentId, turn, onRetry }: FailureCardProps) {
  const { t } = useTranslation();
  const { live } = turn;
  // Only the trace has what the model's server said.
  const stored = useQuery({ ...turnQuery(agentId, turn.turnId), enabled: hasTurnId(turn.turnId) });
  const detail = stored.data?.error?.detail;
  const failure = live?.failure ?? stored.data?.error;
  const facts = [
    ['code', failure?.code],
    ['turn', hasTurnId(turn.turnId) ? turn.turnId : null],
    ['request', live?.failure?.requestId],
    ['lastSeq', live?.lastSeq],
  ] as const;
  const contents = live?.contents ?? turn.user.filter((item) => item.type === 'text');
  // A retry must send the original contents, but stored attachments are only links.
  const repeatable = contents.length === turn.user.length;
  const known = facts.filter(([, value]) => value !== undefined && value !== null);

  return (
    <section className="failure error-box" role="alert">
      <p>
        <WarningOutlined aria-hidden /> {failure?.message ?? t('failure.unknown')}
      </p>
      {detail !== undefined && <blockquote>{detail}</blockquote>}
      <dl>
        {known.map(([name, value]) => (
          <div key={name}>
            <dt>{t(`failure.${name}`)}</dt>
            <dd className="mono">{value}</dd>
          </div>
        ))}
      </dl>
      <div className="row">
        {repeatable && (
          <Button
            size="small"
            icon={<ReloadOutlined aria-hidden />}
            onClick={() => onRetry(turn.turnId, contents)}
          >
            {t('common.tryAgain')}
          </Button>
        )}
        <CopyButton
          size="small"
          showLabel
          label={t('failure.copy')}
          text={() => known.map(([name, value]) => `${name}: ${value}`).join('\n')}
        />
      </div>
    </section>
  );
}
