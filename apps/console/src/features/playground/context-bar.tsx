import { CompressOutlined, UndoOutlined } from '@ant-design/icons';
import { useMutation, useQuery } from '@tanstack/react-query';
import { App, Button, Modal } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import type { ContextUsage } from './turns/live-turn.ts';

interface ContextBarProps {
  agentId: string;
  sessionId: string;
  /** The values reported by the running turn. */
  reported: ContextUsage | null;
  /** Whether the session has a finished turn, so that its context can be loaded. */
  known: boolean;
  /** A turn is running or a question is open, so the context cannot be changed. */
  busy: boolean;
}

/** Shows the size of the model's context and offers compaction. */
export function ContextBar({ agentId, sessionId, reported, known, busy }: ContextBarProps) {
  const { t, i18n } = useTranslation();
  const { message } = App.useApp();
  const [compacting, setCompacting] = useState(false);
  const queryKey = keys.context(agentId, sessionId);
  const status = useQuery({
    queryKey,
    queryFn: () => client.agents.context.status(agentId, sessionId),
    enabled: known && !busy,
  });
  const undo = useMutation({
    mutationFn: () => client.agents.context.undo(agentId, sessionId),
    onSuccess: (after) => {
      queryClient.setQueryData(queryKey, after);
      void message.success(t('context.undone'));
    },
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });

  const usage = busy ? (reported ?? status.data) : (status.data ?? reported);
  if (usage === undefined || usage === null || usage.maxTokens === 0) return null;
  const number = new Intl.NumberFormat(i18n.language);
  const share = usage.usedTokens / usage.maxTokens;
  const percent = new Intl.NumberFormat(i18n.language, {
    style: 'percent',
    maximumFractionDigits: share < 0.1 ? 1 : 0,
  }).format(share);
  const figures = {
    used: number.format(usage.usedTokens),
    max: number.format(usage.maxTokens),
    remaining: number.format(usage.remainingTokens),
  };

  return (
    <div className="context-bar">
      <meter
        aria-label={t('context.title')}
        value={usage.usedTokens}
        max={usage.maxTokens}
        low={usage.maxTokens * 0.7}
        high={usage.maxTokens * 0.85}
        optimum={0}
      />
      <span title={t('context.remaining', figures)}>{t('context.share', { percent })}</span>
      <span className="figures">
        {t(usage.estimated ? 'context.usedEstimated' : 'context.used', figures)}
      </span>
      <span className="grow" />
      {status.data !== undefined && status.data.compactionCount > 0 && (
        <Button
          type="text"
          size="small"
          icon={<UndoOutlined aria-hidden />}
          title={t('context.undoHint')}
          disabled={busy}
          loading={undo.isPending}
          onClick={() => undo.mutate()}
        >
          {t('context.undo')}
        </Button>
      )}
      {status.data !== undefined && (
        <Button
          type="text"
          size="small"
          icon={<CompressOutlined aria-hidden />}
          disabled={busy}
          onClick={() => setCompacting(true)}
        >
          {t('context.compact')}
        </Button>
      )}
      {compacting && (
        <CompactDialog agentId={agentId} sessionId={sessionId} onClose={() => setCompacting(false)} />
      )}
    </div>
  );
}

/** Shows the effect of a compaction before the user confirms it. */
function CompactDialog({
  agentId,
  sessionId,
  onClose,
}: {
  agentId: string;
  sessionId: string;
  onClose: () => void;
}) {
  const { t, i18n } = useTranslation();
  const { message } = App.useApp();
  const number = new Intl.NumberFormat(i18n.language);
  const preview = useQuery({
    queryKey: [...keys.context(agentId, sessionId), 'dry-run'],
    queryFn: () => client.agents.context.compact(agentId, sessionId, { dryRun: true }),
    staleTime: 0,
    gcTime: 0,
  });
  const compact = useMutation({
    mutationFn: () => client.agents.context.compact(agentId, sessionId),
    onSuccess: async ({ compacted, tokensBefore, tokensAfter }) => {
      await queryClient.invalidateQueries({ queryKey: keys.context(agentId, sessionId), exact: true });
      const figures = { before: number.format(tokensBefore), after: number.format(tokensAfter) };
      void message.success(t(compacted ? 'context.compacted' : 'context.nothing', figures));
      onClose();
    },
  });
  const error = compact.error ?? preview.error;
  const figures = preview.data && {
    before: number.format(preview.data.tokensBefore),
    after: number.format(preview.data.tokensAfter),
  };
  const useful = preview.data !== undefined && preview.data.tokensAfter < preview.data.tokensBefore;

  return (
    <Modal
      open
      title={t('context.compactTitle')}
      okText={t('context.compact')}
      cancelText={t('common.cancel')}
      okButtonProps={{ disabled: preview.data === undefined || !useful }}
      confirmLoading={compact.isPending}
      loading={preview.isPending}
      onOk={() => compact.mutate()}
      onCancel={onClose}
      width={460}
    >
      <div className="stack">
        {figures && (
          <p>
            <strong>{useful ? t('context.preview', figures) : t('context.nothing')}</strong>
          </p>
        )}
        <p className="muted">{t('context.compactText')}</p>
        {error !== null && (
          <p role="alert" className="danger-text">
            {getErrorMessage(error, t)}
          </p>
        )}
      </div>
    </Modal>
  );
}
