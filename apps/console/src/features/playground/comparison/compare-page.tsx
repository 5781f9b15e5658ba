import { ArrowLeftOutlined, ControlOutlined, RedoOutlined } from '@ant-design/icons';
import type { Agent, AgentListing, ContentItem } from '@platform/contracts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { App, Button, Drawer, Segmented } from 'antd';
import { Suspense, useRef, useState, type RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useParams } from 'react-router';
import { client, keys } from '../../../api.ts';
import { paths } from '../../../paths.ts';
import { useUnsavedInput } from '../../../ui/browser/unsaved-input.ts';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import { lazyPart } from '../../../ui/layout/lazy-part.tsx';
import { useDocumentTitle } from '../../../ui/layout/page.tsx';
import { EmptyState, Loaded, PageSpinner } from '../../../ui/layout/states.tsx';
import { useSearchFields } from '../../../ui/url/use-search-fields.ts';
import { hasUnsaved, useAttachments, type Attached } from '../contents/attachments.ts';
import { getChosenModel } from '../request/chosen-model.ts';
import { listBetter } from './compare.ts';
import { useKeptText } from '../use-kept-text.ts';
import { CompareColumn, type ColumnHandle, type ColumnState } from './compare-column.tsx';
import { Composer } from '../composer.tsx';
import type { RunOptions } from '../request/call.ts';
import { useRunOptions } from '../request/use-run-options.ts';
import './compare.css';
import '../playground.css';
import '../turns/turns.css';

const OptionsPanel = lazyPart(() =>
  import('../request/options-panel.tsx').then((module) => ({ default: module.OptionsPanel })),
);
const IDLE: ColumnState = { isRunning: false, figures: {} };

/** One message to two agents, or to an agent on two models. The choice is in the URL. */
export function Component() {
  const { t } = useTranslation();
  const { agentId = '' } = useParams();
  const [search] = useSearchFields();
  useDocumentTitle(t('compare.title'));
  const otherId = search.get('with') ?? agentId;
  const agents = useQuery({
    queryKey: [...keys.agents, 'compared', agentId, otherId],
    queryFn: async () => {
      const { items } = await client.agents.list({ ids: [agentId, otherId], accessibleOnly: true });
      const find = (id: string) => items.find((one) => one.id === id);
      return { left: find(agentId), right: find(otherId) };
    },
    // While one of them is exchanged, the conversation with the other stays.
    placeholderData: keepPreviousData,
  });
  return (
    <Loaded query={agents}>
      {({ left, right }) =>
        left !== undefined && right !== undefined ? (
          <Comparison left={left} right={right} />
        ) : (
          <EmptyState title={t('access.notYou')} text={t('access.notYouText')} />
        )
      }
    </Loaded>
  );
}

/** The two conversations, which are sent the same, and start over together. */
function useColumns() {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const [run, setRun] = useState(1);
  const [states, setStates] = useState({ A: IDLE, B: IDLE });
  const columns = { A: useRef<ColumnHandle>(null), B: useRef<ColumnHandle>(null) };
  const both = [columns.A, columns.B];
  const isRunning = states.A.isRunning || states.B.isRunning;

  const send = (contents: ContentItem[]) => both.forEach(({ current }) => current?.send(contents));
  const stop = () => {
    for (const { current } of both)
      current?.stop().catch((error: unknown) => void message.error(getErrorMessage(error, t)));
  };
  const restart = () => {
    setStates({ A: IDLE, B: IDLE });
    setRun((before) => before + 1);
  };
  const setState = (name: 'A' | 'B', state: ColumnState) =>
    setStates((before) => ({ ...before, [name]: state }));
  return { run, states, setState, columns, isRunning, send, stop, restart };
}

/** The files of the message. Leaving the page asks first; the address of another agent is that of the same page. */
function useGuardedFiles() {
  const attachments = useAttachments(useState<Attached[]>([]));
  const isChoosing = useRef(false);
  useUnsavedInput('page', () => !isChoosing.current && hasUnsaved(attachments.items));
  const choosing = (navigate: () => void | Promise<void>) => {
    isChoosing.current = true;
    void Promise.resolve(navigate()).finally(() => (isChoosing.current = false));
  };
  return { attachments, choosing };
}

interface ComparisonProps {
  left: Agent | AgentListing;
  right: Agent | AgentListing;
}

function Comparison({ left, right }: ComparisonProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [search, choose] = useSearchFields();
  const [options, setOptions] = useRunOptions('compare');
  const [panelOpen, setPanelOpen] = useState(false);
  const [shown, setShown] = useState<'A' | 'B'>('A');
  const text = useKeptText('compare', null);
  const { attachments, choosing } = useGuardedFiles();
  const { run, states, setState, columns, isRunning, send, stop, restart } = useColumns();

  const chooseAgent = (name: 'A' | 'B', agentId: string) => {
    const withModel = search.get('withModel') ?? undefined;
    if (name === 'B') choose({ with: agentId, withModel: undefined });
    else {
      const to = paths.compare(agentId, { with: right.id, withModel });
      choosing(() => navigate(to, { replace: true }));
    }
  };

  const column = (name: 'A' | 'B', agent: Agent | AgentListing, ref: RefObject<ColumnHandle | null>) => {
    const other = name === 'A' ? 'B' : 'A';
    const modelParam = name === 'A' ? 'model' : 'withModel';
    return (
      <CompareColumn
        key={`${name}:${agent.id}:${run}`}
        ref={ref}
        name={name}
        agent={agent}
        model={getChosenModel(agent, search.get(modelParam))}
        options={options}
        better={listBetter(states[name].figures, states[other].figures)}
        onAgent={(agentId) => {
          setState(name, IDLE);
          chooseAgent(name, agentId);
        }}
        onModel={(model) => choose({ [modelParam]: model })}
        onState={(state) => setState(name, state)}
      />
    );
  };

  return (
    <div className="playground-main compare">
      <ComparisonHead
        agent={left}
        shown={shown}
        onShown={setShown}
        isRunning={isRunning}
        onRestart={restart}
        panelOpen={panelOpen}
        onPanel={() => setPanelOpen(true)}
      />
      <div className={`compare-columns shows-${shown}`}>
        {column('A', left, columns.A)}
        {column('B', right, columns.B)}
      </div>
      <span className="visually-hidden" role="status">
        {isRunning ? t('compare.running') : ''}
      </span>
      <Composer
        draft={text.initial}
        onText={text.keep}
        attachments={attachments}
        busy={isRunning}
        stopping={false}
        blocked={null}
        canBeEmpty={false}
        onSend={send}
        onStop={stop}
      />
      <OptionsDrawer
        open={panelOpen}
        onClose={() => setPanelOpen(false)}
        options={options}
        onChange={setOptions}
      />
    </div>
  );
}

interface ComparisonHeadProps {
  agent: Agent | AgentListing;
  /** The column that narrow screens show. */
  shown: 'A' | 'B';
  onShown: (name: 'A' | 'B') => void;
  isRunning: boolean;
  onRestart: () => void;
  panelOpen: boolean;
  onPanel: () => void;
}

function ComparisonHead({
  agent,
  shown,
  onShown,
  isRunning,
  onRestart,
  panelOpen,
  onPanel,
}: ComparisonHeadProps) {
  const { t } = useTranslation();
  return (
    <header className="playground-head">
      <Link to={paths.playground(agent.id)} aria-label={agent.name} className="muted">
        <ArrowLeftOutlined aria-hidden />
      </Link>
      <h1 className="truncate">{t('compare.title')}</h1>
      <p className="muted truncate grow compare-text">{t('compare.text')}</p>
      <Segmented
        className="compare-switch"
        aria-label={t('compare.shown')}
        value={shown}
        onChange={onShown}
        options={['A', 'B']}
      />
      <Button
        icon={<RedoOutlined aria-hidden />}
        aria-label={t('compare.restart')}
        title={t('compare.restart')}
        disabled={isRunning}
        onClick={onRestart}
      />
      <Button
        icon={<ControlOutlined aria-hidden />}
        aria-label={t('run.panel')}
        title={t('run.panel')}
        aria-expanded={panelOpen}
        onClick={onPanel}
      />
    </header>
  );
}

interface OptionsDrawerProps {
  open: boolean;
  onClose: () => void;
  options: RunOptions;
  onChange: (options: RunOptions) => void;
}

function OptionsDrawer({ open, onClose, options, onChange }: OptionsDrawerProps) {
  const { t } = useTranslation();
  return (
    <Drawer open={open} onClose={onClose} title={t('run.panel')} size={320}>
      <Suspense fallback={<PageSpinner />}>
        <OptionsPanel agent={null} options={options} onChange={onChange} />
      </Suspense>
    </Drawer>
  );
}
