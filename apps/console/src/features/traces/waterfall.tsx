import {
  ClockCircleOutlined,
  QuestionCircleOutlined,
  RobotOutlined,
  SearchOutlined,
  ToolOutlined,
} from '@ant-design/icons';
import type { SpanKind, Trace, TraceSpan } from '@platform/contracts';
import type { KeyboardEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDuration } from '../../ui/format/duration.ts';
import { useNumbers } from '../../ui/format/use-numbers.ts';
import { createAxis, layOut, waitShare } from './axis.ts';

export const SPAN_ICONS: Record<SpanKind, ReactNode> = {
  queue: <ClockCircleOutlined aria-hidden />,
  search: <SearchOutlined aria-hidden />,
  model: <RobotOutlined aria-hidden />,
  tool: <ToolOutlined aria-hidden />,
  question: <QuestionCircleOutlined aria-hidden />,
};

const TICKS = [0, 25, 50, 75, 100];

interface WaterfallProps {
  trace: Trace;
  now: number;
  selected: string | undefined;
  onSelect: (spanId: string) => void;
}

/** What happened in a turn, each part with a bar for its time. */
export function Waterfall({ trace, now, selected, onSelect }: WaterfallProps) {
  const { t, i18n } = useTranslation();
  const { spans } = trace;
  const axis = createAxis(spans, now);
  const format = (ms: number) => formatDuration(ms, i18n.language);
  return (
    <div className="waterfall">
      <div className="waterfall-head" aria-hidden>
        <span>{t('traces.span')}</span>
        <span className="waterfall-axis">
          {axis.isShortened
            ? t('traces.shortened', { total: format(axis.totalMs) })
            : TICKS.map((tick) => (
                <span key={tick} style={{ insetInlineStart: `${tick}%` }} className={`tick tick-${tick}`}>
                  {tick === 0 ? '0' : format((axis.totalMs * tick) / 100)}
                </span>
              ))}
        </span>
        <span className="number">{t('traces.duration')}</span>
        <span className="number wide-only">{t('traces.tokens')}</span>
        <span className="number wide-only">{t('traces.cost')}</span>
      </div>
      <ol onKeyDown={moveFocus} className={axis.isShortened ? undefined : 'with-grid'}>
        {spans.map((span) => (
          <SpanRow
            key={span.id}
            span={span}
            bar={layOut(span, axis, now)}
            isSelected={span.id === selected}
            onSelect={() => onSelect(span.id)}
          />
        ))}
      </ol>
    </div>
  );
}

interface SpanRowProps {
  span: TraceSpan;
  bar: { left: number; width: number };
  isSelected: boolean;
  onSelect: () => void;
}

function SpanRow({ span, bar, isSelected, onSelect }: SpanRowProps) {
  const { t, i18n } = useTranslation();
  const { whole, cost } = useNumbers();
  const { kind, status, name, durationMs, token_usage: usage } = span;
  const wait = waitShare(span);
  const label = spanName(span, t(`traces.kinds.${kind}`));
  return (
    <li>
      <button
        type="button"
        className={`span-row ${kind} ${status} ${isSelected ? 'selected' : ''}`}
        aria-haspopup="dialog"
        onClick={onSelect}
      >
        <span className="span-name">
          {SPAN_ICONS[kind]}
          <span className="truncate" title={name}>
            {label}
          </span>
          {status !== 'succeeded' && <SpanStatusBadge span={span} />}
        </span>
        <span className="span-track" aria-hidden>
          <span className="span-bar" style={{ insetInlineStart: `${bar.left}%`, width: `${bar.width}%` }}>
            {wait !== null && <span className="span-wait" style={{ width: `${wait}%` }} />}
          </span>
        </span>
        <span className="number">
          {durationMs === null ? '…' : formatDuration(durationMs, i18n.language)}
        </span>
        <span className="number muted wide-only">{usage ? whole(usage.total_tokens) : ''}</span>
        <span className="number muted wide-only">{usage && usage.cost > 0 ? cost(usage.cost) : ''}</span>
      </button>
    </li>
  );
}

const TONES: Record<TraceSpan['status'], string> = {
  running: 'running',
  waiting: 'warning',
  succeeded: 'success',
  failed: 'danger',
  denied: 'warning',
  cancelled: '',
};

export function SpanStatusBadge({ span: { status } }: { span: TraceSpan }) {
  const { t } = useTranslation();
  return <span className={`badge ${TONES[status]}`}>{t(`traces.spanStatuses.${status}`)}</span>;
}

/** Returns the name of a span. The queue has none of its own, and a search can have none. */
export const spanName = ({ name }: TraceSpan, kind: string): string => (name === '' ? kind : name);

/** The arrow keys move between the rows. */
function moveFocus(event: KeyboardEvent<HTMLOListElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  const buttons = [...event.currentTarget.querySelectorAll('button')];
  const next = buttons[buttons.findIndex((button) => button === document.activeElement) + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
