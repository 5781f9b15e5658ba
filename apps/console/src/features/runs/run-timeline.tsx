import type { Run, RunStep } from '@platform/contracts';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatClock, formatDuration } from '../../ui/format/duration.ts';
import { useNow } from '../../ui/format/use-now.ts';
import { hasRunEnded, RunStatusBadge } from './run-status.tsx';
import { layOutSteps, nestSteps, sortItems, type ItemGroup, type StepNode } from './timeline.ts';
import { TimelineStep } from './timeline-step.tsx';

/** So many items are drawn at once. */
const ITEMS_PAGE = 50;

interface RunTimelineProps {
  run: Run;
  /** Retries the run from a step. */
  onRetry?: (stepId: string) => void;
}

/** The last execution of each step, in the shape of the workflow, each with a bar for its time. */
export function RunTimeline({ run, onRetry }: RunTimelineProps) {
  const { t, i18n } = useTranslation();
  const { steps, status, questions } = run;
  const isActive = steps.some(({ durationMs }) => durationMs === null);
  const now = useNow(isActive ? 1_000 : null);
  const { bars, totalMs } = layOutSteps(steps, now);
  if (steps.length === 0) {
    return <p className="muted">{t(hasRunEnded(status) ? 'runs.noSteps' : 'runs.notStarted')}</p>;
  }
  return (
    <div className="run-timeline">
      <StepNodes
        nodes={nestSteps(steps, bars)}
        openScope={findOpenScope(steps)}
        questions={new Map(questions.map(({ scope, id }) => [scope, id]))}
        onRetry={onRetry}
      />
      <p className="muted timeline-total">
        {t('runs.total', { duration: (isActive ? formatClock : formatDuration)(totalMs, i18n.language) })}
      </p>
    </div>
  );
}

/** What went wrong is what people look for, and before that, what happens now. The innermost step says most. */
function findOpenScope(steps: readonly RunStep[]): string | undefined {
  const failed = steps.findLast(
    ({ error, kind }) => error !== undefined && kind !== 'branch' && kind !== 'each',
  );
  const step = failed ?? steps.findLast(({ error }) => error !== undefined);
  return (step ?? steps.findLast(({ status }) => status === 'RUNNING') ?? steps[0])?.scope;
}

interface NodesProps {
  nodes: readonly StepNode[];
  openScope: string | undefined;
  /** The question of each step that waits for an answer. */
  questions: ReadonlyMap<string, string>;
  /** Of the steps that no other contains: at those a retry can begin. */
  onRetry?: ((stepId: string) => void) | undefined;
}

function StepNodes({ nodes, openScope, questions, onRetry }: NodesProps) {
  return (
    <ol className="timeline">
      {nodes.map(({ step, bar, children, items }) => (
        <li key={step.scope}>
          <TimelineStep
            step={step}
            bar={bar}
            isOpen={step.scope === openScope}
            questionId={questions.get(step.scope)}
            onRetry={onRetry && (() => onRetry(step.id))}
          />
          {children.length > 0 && (
            <div className="inside">
              <StepNodes nodes={children} openScope={openScope} questions={questions} />
            </div>
          )}
          {items.length > 0 && (
            <div className="inside">
              <Items items={items} openScope={openScope} questions={questions} />
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}

/** The items of an `each`, a page at a time. */
function Items({ items, ...rest }: Omit<NodesProps, 'nodes'> & { items: readonly ItemGroup[] }) {
  const { t } = useTranslation();
  const [count, setCount] = useState(ITEMS_PAGE);
  const isShort = items.length <= ITEMS_PAGE;
  const shown = isShort ? items : sortItems(items).slice(0, count);
  return (
    <>
      <ol className="timeline">
        {shown.map((item) => (
          <li key={item.index}>
            <Item item={item} {...rest} />
          </li>
        ))}
      </ol>
      {shown.length < items.length && (
        <Button size="small" onClick={() => setCount(count + ITEMS_PAGE)}>
          {t('runs.moreItems', { shown: shown.length, count: items.length })}
        </Button>
      )}
    </>
  );
}

/** Its steps are drawn when it is opened. */
function Item({ item, openScope, ...rest }: Omit<NodesProps, 'nodes'> & { item: ItemGroup }) {
  const { t } = useTranslation();
  const { index, status, nodes } = item;
  const isOpened = contains(nodes, openScope);
  const [isOpen, setOpen] = useState(isOpened);
  return (
    <details
      open={isOpen}
      className="step-item"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <span>{t('runs.item', { number: index })}</span> <RunStatusBadge status={status} />
      </summary>
      {isOpen && <StepNodes nodes={nodes} openScope={openScope} {...rest} />}
    </details>
  );
}

function contains(nodes: readonly StepNode[], scope: string | undefined): boolean {
  return nodes.some(
    ({ step, children, items }) =>
      step.scope === scope || contains(children, scope) || items.some((item) => contains(item.nodes, scope)),
  );
}
