import {
  ArrowLeftOutlined,
  ColumnWidthOutlined,
  ControlOutlined,
  HistoryOutlined,
  SettingOutlined,
} from '@ant-design/icons';
import type { Agent, AgentListing } from '@platform/contracts';
import { Button, Segmented } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { paths } from '../../paths.ts';
import { isFullAgent } from '../agents/agent.ts';
import type { PlaygroundView } from './use-playground-params.ts';

interface PlaygroundHeadProps {
  agent: Agent | AgentListing;
  view: PlaygroundView;
  onView: (view: PlaygroundView) => void;
  /** Opens the list of sessions, where it is not beside the chat. */
  onSessions: () => void;
  panelOpen: boolean;
  onPanel: (open: boolean) => void;
}

export function PlaygroundHead({ agent, view, onView, onSessions, panelOpen, onPanel }: PlaygroundHeadProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <header className="playground-head">
      <Link to={paths.agents} aria-label={t('agents.title')} className="muted">
        <ArrowLeftOutlined aria-hidden />
      </Link>
      <h1 className="truncate">{agent.name}</h1>
      {isFullAgent(agent) && <ModelBadge agent={agent} />}
      <span className="grow" />
      <Button
        className="sessions-button"
        icon={<HistoryOutlined aria-hidden />}
        aria-label={t('sessions.title')}
        onClick={onSessions}
      />
      <Segmented
        aria-label={t('playground.view')}
        value={view}
        onChange={onView}
        options={[
          { value: 'chat', label: t('playground.chat') },
          { value: 'frames', label: t('playground.frames') },
        ]}
      />
      {agent.accessible && (
        <>
          <Button
            icon={<ColumnWidthOutlined aria-hidden />}
            aria-label={t('compare.open')}
            title={t('compare.open')}
            onClick={() => void navigate(paths.compare(agent.id))}
          />
          <Button
            icon={<ControlOutlined aria-hidden />}
            aria-label={t('run.panel')}
            title={t('run.panel')}
            aria-expanded={panelOpen}
            onClick={() => onPanel(!panelOpen)}
          />
        </>
      )}
      {isFullAgent(agent) && (
        <Button
          className="configure-button"
          icon={<SettingOutlined aria-hidden />}
          aria-label={t('playground.configure')}
          title={t('playground.configure')}
          onClick={() => void navigate(paths.agent(agent.id))}
        />
      )}
    </header>
  );
}

function ModelBadge({ agent }: { agent: Agent }) {
  const { t } = useTranslation();
  const unknown = agent.modelStatus === 'unknown';
  return (
    <span
      className={`badge mono model-badge ${unknown ? 'warning' : 'plain'}`}
      title={unknown ? t('agents.modelUnknown') : undefined}
    >
      {agent.model}
    </span>
  );
}
