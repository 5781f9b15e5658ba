import { useQuery } from '@tanstack/react-query';
import { Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { keys } from '../../../api.ts';
import { CopyButton } from '../../../ui/code/copy-button.tsx';
import { EmptyState, ErrorState } from '../../../ui/layout/states.tsx';
import { FrameList, readFrames } from './frame-list.tsx';
import { getText, type TurnView } from '../turns/turn-list.ts';

interface FramesPanelProps {
  agentId: string;
  turns: TurnView[];
  /** The selected turn; null for the latest one. */
  turnId: string | null;
  onTurn: (turnId: string) => void;
}

/** The raw frames of a turn, live or from its recorded stream. */
export function FramesPanel({ agentId, turns, turnId, onTurn }: FramesPanelProps) {
  const { t } = useTranslation();
  const turn = turns.find((one) => one.turnId === turnId) ?? turns.at(-1);
  const recorded = useQuery({
    queryKey: [...keys.turn(agentId, turn?.turnId ?? ''), 'frames'],
    queryFn: ({ signal }) => readFrames(agentId, turn?.turnId ?? '', undefined, signal),
    enabled: turn !== undefined && turn.live === null,
    staleTime: Infinity,
  });

  if (turn === undefined) return <EmptyState title={t('frames.none')} text={t('frames.noneText')} />;
  const frames = turn.live?.frames ?? recorded.data ?? [];
  const dropped = turn.live?.droppedFrames ?? (recorded.data?.[0]?.seq ?? 1) - 1;

  return (
    <div className="frames">
      <div className="toolbar">
        <Select
          className="grow"
          aria-label={t('frames.turn')}
          value={turn.turnId}
          onChange={onTurn}
          options={turns.map((one, i) => ({
            value: one.turnId,
            label: `${i + 1}. ${getText(one.user).slice(0, 80)}`,
          }))}
        />
        <span className="muted">{t('frames.count', { count: frames.length })}</span>
        <CopyButton text={() => JSON.stringify(frames, null, 2)} label={t('frames.copy')} />
      </div>
      {dropped > 0 && <p className="muted">{t('frames.dropped', { count: dropped })}</p>}
      {recorded.isError && turn.live === null && (
        <ErrorState error={recorded.error} retry={() => void recorded.refetch()} />
      )}
      {recorded.isLoading && turn.live === null && <span className="skeleton-bar" />}
      <FrameList frames={frames} />
    </div>
  );
}
