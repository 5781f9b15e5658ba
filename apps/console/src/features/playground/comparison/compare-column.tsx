import type { Agent, AgentListing, ContentItem } from '@platform/contracts';
import { useEffect, useImperativeHandle, useState, type Ref } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../../paths.ts';
import { useNumbers } from '../../../ui/format/use-numbers.ts';
import { NameFilter } from '../../../ui/names/name-filter.tsx';
import { agentNames } from '../../agents/agent-names.ts';
import { isFullAgent } from '../../agents/agent.ts';
import { toCall, type RunOptions } from '../request/call.ts';
import { FIGURES, getFigures, type AnswerFigures } from './compare.ts';
import { ModelSelect } from '../request/model-select.tsx';
import { createSessionId } from '../request/session-id.ts';
import { TurnCard } from '../turns/turn-card.tsx';
import { listTurns } from '../turns/turn-list.ts';
import { useStickToEnd } from '../use-stick-to-end.ts';
import { useChat } from '../turns/use-chat.ts';

export interface ColumnHandle {
  send: (contents: ContentItem[]) => void;
  stop: () => Promise<void>;
}

export interface ColumnState {
  isRunning: boolean;
  figures: AnswerFigures;
}

interface CompareColumnProps {
  ref: Ref<ColumnHandle>;
  /** A or B. */
  name: string;
  agent: Agent | AgentListing;
  /** The model in place of the agent's. */
  model: string | undefined;
  options: RunOptions;
  /** The figures that are better than those of the other column. */
  better: string[];
  onAgent: (agentId: string) => void;
  onModel: (model: string | undefined) => void;
  onState: (state: ColumnState) => void;
}

/** One side of a comparison: an agent on a model, with its own conversation. */
export function CompareColumn(props: CompareColumnProps) {
  const { ref, name, agent, model, options, better, onAgent, onModel, onState } = props;
  const { t } = useTranslation();
  const [sessionId] = useState(createSessionId);
  const chat = useChat(agent.id, sessionId, doNothing);
  const { live, running } = chat;
  const turns = listTurns([], live);
  const last = turns.at(-1);
  const figures = getFigures(live.at(-1));
  const isRunning = running !== undefined;
  const { model: _, ...shared } = options;
  const own = { ...shared, ...(model !== undefined && { model }) };

  useImperativeHandle(ref, () => ({
    send: (contents) => chat.send(toCall(agent.id, sessionId, contents, own), contents),
    stop: chat.stop,
  }));
  const reported = JSON.stringify({ isRunning, figures });
  useEffect(() => onState(JSON.parse(reported) as ColumnState), [reported]);

  const { scroller, onScroll } = useStickToEnd(turns);

  return (
    <section className="compare-column" aria-label={t('compare.column', { name })}>
      <header className="compare-head">
        <span className="badge plain">{name}</span>
        <NameFilter
          source={agentNames}
          filter={{ accessibleOnly: true }}
          label={t('compare.agent', { name })}
          value={agent.id}
          width="100%"
          onChange={(agentId) => agentId !== undefined && onAgent(agentId)}
        />
        {isFullAgent(agent) && (
          <ModelSelect label={t('compare.model', { name })} agent={agent} model={model} onChange={onModel} />
        )}
      </header>
      <div
        className="compare-scroll"
        ref={scroller}
        onScroll={onScroll}
        tabIndex={0}
        role="group"
        aria-label={agent.name}
      >
        {turns.length === 0 && <p className="muted compare-empty">{t('compare.empty')}</p>}
        {turns.map((turn) => (
          <TurnCard
            key={turn.turnId}
            agentId={agent.id}
            sessionId={sessionId}
            turn={turn}
            answerable={turn === last && turn.status === 'INPUT_REQUIRED'}
            onAnswer={chat.resume}
            onRetry={chat.retry}
            onFrames={null}
            onAgain={null}
          />
        ))}
      </div>
      <footer className="compare-foot">
        <Figures name={name} figures={figures} better={better} isRunning={isRunning} />
        {turns.length > 0 && <Link to={paths.playground(agent.id, sessionId)}>{t('compare.chat')}</Link>}
      </footer>
    </section>
  );
}

const doNothing = () => undefined;

interface FiguresProps {
  name: string;
  figures: AnswerFigures;
  better: string[];
  isRunning: boolean;
}

function Figures({ name, figures, better, isRunning }: FiguresProps) {
  const { t } = useTranslation();
  const { whole, charged } = useNumbers();
  const format: Record<(typeof FIGURES)[number], (value: number) => string> = {
    firstText: (ms) => t('figures.seconds', { seconds: (ms / 1_000).toFixed(2) }),
    seconds: (seconds) => t('figures.seconds', { seconds: seconds.toFixed(2) }),
    tokens: whole,
    cost: (value) => charged(value, figures.tokens ?? 0),
  };
  return (
    <dl className="compare-figures" aria-label={t('compare.figures', { name })}>
      {FIGURES.map((figure) => {
        const value = figures[figure];
        const isBetter = better.includes(figure) && !isRunning;
        return (
          <div key={figure}>
            <dt>{t(`compare.${figure}`)}</dt>
            <dd className={isBetter ? 'success-text' : undefined}>
              {value === undefined ? t('compare.notRun') : format[figure](value)}
              {isBetter && <span className="visually-hidden"> ({t('compare.best')})</span>}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
