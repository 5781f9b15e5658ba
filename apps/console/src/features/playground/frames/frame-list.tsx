import type { Frame } from '@platform/contracts';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client } from '../../../api.ts';
import './frames.css';
import { KEPT_FRAMES } from '../turns/live-turn.ts';

/** Frames as they were sent, each with its time after the first one. */
export function FrameList({ frames }: { frames: readonly Frame[] }) {
  return (
    <ol className="frame-list">
      {frames.map((frame) => (
        <FrameRow key={frame.seq} frame={frame} start={frames[0]?.params.timestamp ?? 0} />
      ))}
    </ol>
  );
}

/** Loads the last frames of a recorded segment; by default of the latest one. */
export async function readFrames(
  agentId: string,
  turnId: string,
  segment: number | undefined,
  signal: AbortSignal,
): Promise<Frame[]> {
  const frames: Frame[] = [];
  const position = segment === undefined ? {} : { segment };
  for await (const frame of client.agents.attachTurn(agentId, turnId, position, { signal }).frames()) {
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
