import { ReloadOutlined, WarningOutlined } from '@ant-design/icons';
import type { ContentItem } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../ui/code/copy-button.tsx';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import { hasTurnId } from './live-turn.ts';
import { loadContents } from '../contents/stored-contents.ts';
import { turnQuery } from './turn-query.ts';
import type { TurnView } from './turn-list.ts';

interface FailureCardProps {
  agentId: string;
  sessionId: string;
  turn: TurnView;
  onRetry: (turnId: string, contents: ContentItem[]) => void;
}

/** Why a turn failed, with the ids that a bug report needs. */
export function FailureCard({ agentId, sessionId, turn, onRetry }: FailureCardProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
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
  const retry = useMutation({
    // A retry sends the original contents. Of those in the history, the attachments are only links.
    mutationFn: async () => live?.contents ?? (await loadContents(agentId, sessionId, turn.user)),
    onSuccess: (contents) => onRetry(turn.turnId, contents),
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
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
        {turn.user.length > 0 && (
          <Button
            size="small"
            icon={<ReloadOutlined aria-hidden />}
            loading={retry.isPending}
            onClick={() => retry.mutate()}
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
