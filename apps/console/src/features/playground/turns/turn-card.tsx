import type { ContentItem, Interaction } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { EditOutlined, RedoOutlined } from '@ant-design/icons';
import { Button, Spin } from 'antd';
import { memo, Suspense, useRef, type RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../../paths.ts';
import { CopyButton } from '../../../ui/code/copy-button.tsx';
import { useWasVisible } from '../../../ui/browser/use-was-visible.ts';
import { lazyPart } from '../../../ui/layout/lazy-part.tsx';
import { CopyAs } from '../request/copy-as.tsx';
import { FailureCard } from './failure-card.tsx';
import { AskedCard, EvidenceCard, ToolCard } from './execution-cards.tsx';
import { Parts } from '../contents/parts.tsx';
import { NeedForm } from '../../approvals/need-form.tsx';
import { purposeOf } from '../../approvals/need.ts';
import { QuestionForm } from './question-form.tsx';
import type { Choice } from './question.ts';
import { toExecutions, type Executions } from './stored-executions.ts';
import { TurnFigures } from './turn-figures.tsx';
import { getText, type TurnView } from './turn-list.ts';
import { listSentVariables, type Call } from '../request/call.ts';
import { hasTurnId } from './live-turn.ts';
import { outlineContents } from '../contents/stored-contents.ts';
import { turnQuery } from './turn-query.ts';

const JobLine = lazyPart(() => import('./job-line.tsx').then((module) => ({ default: module.JobLine })));
const ExecutionResult = lazyPart(() =>
  import('./execution-result.tsx').then((module) => ({ default: module.ExecutionResult })),
);
const Markdown = lazyPart(() =>
  import('../markdown/markdown.tsx').then((module) => ({ default: module.Markdown })),
);

interface TurnCardProps {
  agentId: string;
  sessionId: string;
  turn: TurnView;
  /** Whether the question can be answered, because no later turn exists. */
  answerable: boolean;
  onAnswer: (interaction: Interaction, choice: Choice, textBefore: string) => Promise<void>;
  onRetry: (turnId: string, contents: ContentItem[]) => void;
  /** Null if the page does not show frames. */
  onFrames: ((turnId: string) => void) | null;
  /** Sends the message again, or puts it into the input; null while a turn runs, or if the page has no input for it. */
  onAgain: { send: (turn: TurnView) => void; edit: (turn: TurnView) => void } | null;
}

export const TurnCard = memo(function TurnCard({
  agentId,
  sessionId,
  turn,
  answerable,
  onAnswer,
  onRetry,
  onFrames,
  onAgain,
}: TurnCardProps) {
  const { t } = useTranslation();
  const { live, answer, status, interaction } = turn;
  const running = status === 'RUNNING' || status === 'QUEUED';
  const purpose = interaction && purposeOf(interaction);
  const text = getText(turn.user);
  const article = useRef<HTMLElement>(null);
  const { evidence, tools } = useExecutions(agentId, turn, article);
  // The form shows the call that waits for it.
  const isShown = (tool: { status: string }) => purpose === null || running || tool.status !== 'started';

  return (
    <article className="turn" ref={article}>
      <div className="said" aria-label={t('playground.you')} role="group">
        <Parts agentId={agentId} sessionId={sessionId} contents={turn.user} />
        {live?.call && <SentVariables call={live.call} />}
        {text !== '' && <p>{text}</p>}
      </div>
      <div className="answer" aria-label={t('playground.agent')} role="group" aria-busy={running}>
        {live?.jobId && (
          <Suspense>
            <JobLine jobId={live.jobId} />
          </Suspense>
        )}
        {evidence.map((found, i) => (
          <EvidenceCard key={i} evidence={found} />
        ))}
        {live !== null && live.reasoning !== '' && (
          <Reasoning text={live.reasoning} isRunning={running && answer === ''} />
        )}
        {tools.filter(isShown).map((tool) => (
          <ToolCard key={tool.callId} tool={tool} turnEnded={!running} />
        ))}
        {live?.answered.map((asked) => (
          <AskedCard key={asked.interaction.interactionId} {...asked} />
        ))}
        {answer !== '' && (
          <Suspense fallback={<p className="plain-answer">{answer}</p>}>
            <Markdown text={answer} streaming={running} />
          </Suspense>
        )}
        {running && answer === '' && (
          <span className="row muted">
            <Spin size="small" /> {t('playground.thinking')}
          </span>
        )}
        {interaction !== null && (
          <Asked
            interaction={interaction}
            answerable={answerable}
            onAnswer={(choice) => onAnswer(interaction, choice, answer)}
          />
        )}
        <Outcome agentId={agentId} sessionId={sessionId} turn={turn} onRetry={onRetry} />
        {!running && (
          <TurnFoot
            agentId={agentId}
            sessionId={sessionId}
            turn={turn}
            onFrames={onFrames}
            onAgain={onAgain}
          />
        )}
      </div>
    </article>
  );
});

interface AskedProps {
  interaction: Interaction;
  answerable: boolean;
  onAnswer: (choice: Choice) => Promise<void>;
}

/** What the turn waits for: a form as long as it can be answered. */
function Asked({ interaction, answerable, onAnswer }: AskedProps) {
  const purpose = purposeOf(interaction);
  const { interactionId: key } = interaction;
  if (!answerable) return <AskedCard interaction={interaction} />;
  if (purpose === null) return <QuestionForm key={key} interaction={interaction} onAnswer={onAnswer} />;
  return <NeedForm key={key} interaction={interaction} purpose={purpose} onAnswer={onAnswer} />;
}

function Reasoning({ text, isRunning }: { text: string; isRunning: boolean }) {
  const { t } = useTranslation();
  return (
    <details className="fold reasoning">
      <summary>{t(isRunning ? 'playground.reasoningNow' : 'playground.reasoning')}</summary>
      <p className="plain-answer muted">{text}</p>
    </details>
  );
}

type OutcomeProps = Pick<TurnCardProps, 'agentId' | 'sessionId' | 'turn' | 'onRetry'>;

/** How the turn was read and how it ended, beyond its answer. */
function Outcome({ agentId, sessionId, turn, onRetry }: OutcomeProps) {
  const { t } = useTranslation();
  const { live, answer, status } = turn;
  return (
    <>
      {live !== null && live.resumedAt !== null && live.resumedAt > 0 && (
        <span className="badge plain" title={t('playground.resumedText')}>
          {t('playground.resumed', { seq: live.resumedAt })}
        </span>
      )}
      {live?.completed && live.call?.kind === 'execute' && (
        <Suspense>
          <ExecutionResult agentId={agentId} call={live.call} answer={answer} completed={live.completed} />
        </Suspense>
      )}
      {status === 'CANCELLED' && <span className="badge">{t('playground.canceled')}</span>}
      {status === 'FAILED' && (
        <FailureCard agentId={agentId} sessionId={sessionId} turn={turn} onRetry={onRetry} />
      )}
    </>
  );
}

type TurnFootProps = Pick<TurnCardProps, 'agentId' | 'sessionId' | 'turn' | 'onFrames' | 'onAgain'>;

/** The figures of a turn that has ended, and what one can do with it. */
function TurnFoot({ agentId, sessionId, turn, onFrames, onAgain }: TurnFootProps) {
  const { t } = useTranslation();
  const { live, answer } = turn;
  return (
    <footer className="turn-foot">
      <TurnFigures agentId={agentId} turn={turn} />
      <span className="turn-actions">
        {answer !== '' && (
          <CopyButton size="small" type="text" text={answer} label={t('playground.copyAnswer')} />
        )}
        {onAgain !== null && turn.user.length > 0 && (
          <>
            <Button
              size="small"
              type="text"
              icon={<RedoOutlined aria-hidden />}
              aria-label={t('playground.regenerate')}
              title={t('playground.regenerate')}
              onClick={() => onAgain.send(turn)}
            />
            <Button
              size="small"
              type="text"
              icon={<EditOutlined aria-hidden />}
              aria-label={t('playground.edit')}
              title={t('playground.edit')}
              onClick={() => onAgain.edit(turn)}
            />
          </>
        )}
        {onFrames !== null && (
          <Button size="small" type="text" onClick={() => onFrames(turn.turnId)}>
            {t('playground.frames')}
          </Button>
        )}
        {hasTurnId(turn.turnId) && (
          <Link className="trace-link" to={paths.trace(agentId, turn.turnId)}>
            {t('playground.trace')}
          </Link>
        )}
        <CopyAs agentId={agentId} call={live?.call ?? toChatCall(turn, sessionId)} size="small" />
      </span>
    </footer>
  );
}

/** The searches and tool calls of a turn: from its stream, or if that was read by an earlier page, from its trace. */
function useExecutions(agentId: string, turn: TurnView, card: RefObject<HTMLElement | null>): Executions {
  const { live, turnId } = turn;
  const seen = useWasVisible(card);
  const stored = useQuery({ ...turnQuery(agentId, turnId), enabled: seen && live === null });
  return live ?? toExecutions(stored.data?.spans ?? []);
}

/** Returns the request of a turn that an earlier page sent. */
function toChatCall({ user }: TurnView, sessionId: string): Call {
  return { kind: 'chat', request: { contents: outlineContents(user), session_id: sessionId } };
}

/** The values that the prompt was filled with. */
function SentVariables({ call }: { call: Call }) {
  const sent = listSentVariables(call);
  if (sent.length === 0) return null;
  return (
    <dl className="sent-variables">
      {sent.map(([name, value]) => (
        <div key={name}>
          <dt className="mono">{name}</dt>
          <dd className="truncate">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
