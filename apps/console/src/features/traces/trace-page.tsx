import { MessageOutlined, RedoOutlined } from '@ant-design/icons';
import type { Trace } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Button, Segmented } from 'antd';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useParams, useSearchParams } from 'react-router';
import { client, keys } from '../../api.ts';
import { paths } from '../../paths.ts';
import { useNow } from '../../ui/format/use-now.ts';
import { Card } from '../../ui/layout/card.tsx';
import { formatDuration } from '../../ui/format/duration.ts';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState, ErrorState, PageSpinner } from '../../ui/layout/states.tsx';
import { Time } from '../../ui/format/time.tsx';
import { useNumbers } from '../../ui/format/use-numbers.ts';
import { useDrawerParam } from '../../ui/url/use-drawer-param.ts';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { useAgentName } from '../agents/agent-names.ts';
import { toOpening } from '../playground/request/opening.ts';
import { SpanDrawer } from './span-drawer.tsx';
import { TurnStatusBadge } from './turn-status.tsx';
import './traces.css';
import { Waterfall } from './waterfall.tsx';

const REFRESH_MS = 1_000;
const VIEWS = ['frames'] as const;
const TraceFrames = lazyPart(() =>
  import('./trace-frames.tsx').then((module) => ({ default: module.TraceFrames })),
);

/** A turn as a waterfall. */
export function Component() {
  const { t } = useTranslation();
  const { turnId = '' } = useParams();
  const [search] = useSearchParams();
  const agentId = search.get('agent');
  const trace = useQuery({
    queryKey: [...keys.turn(agentId ?? '', turnId), 'trace'],
    queryFn: () => client.turns.trace(agentId ?? '', turnId),
    enabled: agentId !== null,
    refetchInterval: ({ state }) => (state.data && isLive(state.data) ? REFRESH_MS : false),
  });
  const parent = { to: paths.traces(), label: t('traces.title') };
  if (agentId === null || (trace.isError && trace.data === undefined))
    return (
      <Page title={t('traces.trace')} parent={parent}>
        {agentId === null ? (
          <EmptyState title={t('traces.noAgent')} text={t('traces.noAgentText')} />
        ) : (
          <ErrorState error={trace.error} retry={() => void trace.refetch()} />
        )}
      </Page>
    );
  if (trace.data === undefined) return <PageSpinner />;
  return <TraceView trace={trace.data} parent={parent} />;
}

const isLive = ({ status }: Trace): boolean => status === 'RUNNING' || status === 'QUEUED';

function TraceView({ trace, parent }: { trace: Trace; parent: { to: string; label: string } }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [view, setView] = useSearchFilter('view', VIEWS);
  const [spanId, openSpan, closeSpan] = useDrawerParam('span');
  const selected = trace.spans.find(({ id }) => id === spanId);
  const title = trace.input.trim().split('\n')[0]?.slice(0, 120) ?? '';

  return (
    <Page
      title={title === '' ? t('traces.trace') : title}
      parent={parent}
      wide
      actions={
        <>
          {trace.sessionListed && (
            <Button
              icon={<MessageOutlined aria-hidden />}
              onClick={() => void navigate(paths.playground(trace.agentId, trace.sessionId))}
            >
              {t('traces.conversation')}
            </Button>
          )}
          <Button
            icon={<RedoOutlined aria-hidden />}
            disabled={trace.input === '' && trace.attachments.length === 0}
            onClick={() => void navigate(paths.playground(trace.agentId), { state: toOpening(trace) })}
          >
            {t('traces.again')}
          </Button>
        </>
      }
    >
      <TraceFigures trace={trace} />
      <div className="toolbar">
        <Segmented
          aria-label={t('traces.view')}
          value={view ?? 'waterfall'}
          onChange={(next) => setView(next === 'frames' ? 'frames' : undefined)}
          options={[
            { value: 'waterfall', label: t('traces.waterfall') },
            { value: 'frames', label: t('traces.frames') },
          ]}
        />
      </div>
      {view === 'frames' ? (
        <Suspense fallback={<PageSpinner />}>
          <TraceFrames trace={trace} />
        </Suspense>
      ) : (
        <TraceOverview trace={trace} selected={selected?.id} onSelect={openSpan} />
      )}
      {selected && <SpanDrawer span={selected} onClose={closeSpan} />}
    </Page>
  );
}

interface TraceOverviewProps {
  trace: Trace;
  /** The id of the span that is open. */
  selected: string | undefined;
  onSelect: (spanId: string) => void;
}

/** The error, the waterfall, the message, and the answer. */
function TraceOverview({ trace, selected, onSelect }: TraceOverviewProps) {
  const { t } = useTranslation();
  // The bars of what runs grow each second.
  const now = useNow(isLive(trace) ? 1_000 : null);
  const answer = trace.spans.map(answerOf).filter(Boolean).join('\n\n');
  return (
    <div className="stack-cards">
      {trace.error && (
        <section className="error-box" aria-label={t('traces.error')}>
          <strong className="mono">{trace.error.code}</strong>
          <p>{trace.error.message}</p>
          {trace.error.detail !== undefined && <blockquote>{trace.error.detail}</blockquote>}
        </section>
      )}
      {trace.spans.length === 0 ? (
        <EmptyState title={t('traces.noSpans')} />
      ) : (
        <Waterfall trace={trace} now={now} selected={selected} onSelect={onSelect} />
      )}
      <div className="trace-texts">
        <Card title={t('traces.input')}>
          <Text value={trace.input} />
          {trace.attachments.length > 0 && (
            <p className="muted">{t('traces.attachments', { count: trace.attachments.length })}</p>
          )}
        </Card>
        <Card title={t('traces.answer')}>
          <Text value={answer} />
        </Card>
      </div>
    </div>
  );
}

function answerOf({ kind, output }: Trace['spans'][number]): string {
  return kind === 'model' ? ((output as { text?: string } | undefined)?.text ?? '') : '';
}

function Text({ value }: { value: string }) {
  const { t } = useTranslation();
  return value === '' ? <p className="muted">{t('traces.noText')}</p> : <p className="trace-text">{value}</p>;
}

function TraceFigures({ trace }: { trace: Trace }) {
  const { t, i18n } = useTranslation();
  const { whole, charged } = useNumbers();
  const agentName = useAgentName();
  const { token_usage: usage, execution_time: time, source, runId } = trace;
  return (
    <dl className="trace-figures">
      <Figure name={t('traces.status')}>
        <TurnStatusBadge status={trace.status} />
      </Figure>
      <Figure name={t('traces.agent')}>
        <Link to={paths.agent(trace.agentId)}>{agentName(trace)}</Link>
      </Figure>
      <Figure name={t('traces.model')}>
        <span className="mono">{trace.model}</span>
      </Figure>
      <Figure name={t('traces.started')}>
        <Time iso={trace.startedAt ?? trace.createdAt} />
      </Figure>
      <Figure name={t('traces.working')}>
        {time === null ? '…' : formatDuration(time * 1_000, i18n.language)}
      </Figure>
      <Figure name={t('traces.tokens')}>
        {whole(usage.total_tokens)}{' '}
        <small className="muted">
          {t('traces.split', { input: whole(usage.prompt_tokens), output: whole(usage.completion_tokens) })}
        </small>
      </Figure>
      <Figure name={t('traces.cost')}>{charged(usage.cost, usage.total_tokens)}</Figure>
      {source !== null && source !== 'chat' && (
        <Figure name={t('traces.source')}>
          {runId === null ? (
            t(`traces.sources.${source}`)
          ) : (
            <Link to={paths.run(runId)}>{t(`traces.sources.${source}`)}</Link>
          )}
        </Figure>
      )}
    </dl>
  );
}

function Figure({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
