import type { Frame } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { KEPT_FRAMES } from './live-turn.ts';
import { getText, type TurnView } from './turn-list.ts';
import './frames.css';

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
    queryFn: ({ signal }) => readFrames(agentId, turn?.turnId ?? '', signal),
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
      <ol className="frame-list">
        {frames.map((frame) => (
          <FrameRow key={frame.seq} frame={frame} start={frames[0]?.params.timestamp ?? 0} />
        ))}
      </ol>
    </div>
  );
}

/** Loads the last frames of the recorded stream. */
async function readFrames(agentId: string, turnId: string, signal: AbortSignal): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of client.agents.attachTurn(agentId, turnId, {}, { signal }).frames()) {
    frames.push(frame);
    if (frames.length > KEPT_FRAMES) frames.shift();
  }
  return frames;
}

/** One frame. Its content is rendered only when it is expanded. */
function FrameRow({ frame, start }: { frame: Frame; start: number }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const { method, params, seq } = frame;
  const data = JSON.stringify(params.data);
  return (
    <li>
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className="seq">{seq}</span>
        <span className="method">{method}</span>
        <span className="muted time">
          {t('frames.after', { ms: Math.max(0, Math.round(params.timestamp - start)) })}
        </span>
        <span className="truncate data">{data.slice(0, 300)}</span>
      </button>
      {open && (
        <pre className="code-block" tabIndex={0}>
          {JSON.stringify(frame, null, 2)}
        </pre>
      )}
    </li>
  );
}
