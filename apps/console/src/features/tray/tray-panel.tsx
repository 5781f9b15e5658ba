import { useMutation } from '@tanstack/react-query';
import { App, Button, Drawer, Progress } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { queryClient } from '../../api.ts';
import { paths } from '../../paths.ts';
import { Elapsed } from '../../ui/format/elapsed.tsx';
import { useNumbers } from '../../ui/format/use-numbers.ts';
import { ANY_LIVELY } from '../changes/outdated.ts';
import { refresh } from '../changes/refresh.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { EmptyState } from '../../ui/layout/states.tsx';
import type { Work, WorkState } from './work.ts';

const TONES: Record<WorkState, string> = {
  running: 'running',
  done: 'success',
  stopped: 'warning',
  failed: 'danger',
};

interface TrayPanelProps {
  work: readonly Work[];
  /** How many questions wait for the user. */
  questions: number;
  onClose: () => void;
}

/** Each piece of work with its progress: to be stopped, or to be looked at. */
export function TrayPanel({ work, questions, onClose }: TrayPanelProps) {
  const { t } = useTranslation();
  return (
    <Drawer open onClose={onClose} size={440} title={t('tray.title')}>
      {questions > 0 && (
        <p className="tray-questions">
          <Link to={paths.inbox} onClick={onClose}>
            {t('tray.questions', { count: questions })}
          </Link>
        </p>
      )}
      {work.length === 0 ? (
        <EmptyState title={t('tray.none')} text={t('tray.noneText')} />
      ) : (
        <ul className="tray-list">
          {work.map((one) => (
            <WorkEntry key={one.key} work={one} onOpen={onClose} />
          ))}
        </ul>
      )}
    </Drawer>
  );
}

function WorkEntry({ work, onOpen }: { work: Work; onOpen: () => void }) {
  const { t } = useTranslation();
  const { whole } = useNumbers();
  const { message } = App.useApp();
  const { title, state, progress, since, error, to, stop } = work;
  const stopping = useMutation({
    mutationFn: () => Promise.resolve(stop?.()),
    onSuccess: () => refresh(queryClient, ANY_LIVELY),
    onError: (cause) => void message.error(getErrorMessage(cause, t)),
  });
  return (
    <li>
      <div className="row">
        <Link to={to} onClick={onOpen} className="primary-link grow truncate" title={title}>
          {title}
        </Link>
        <span className={`badge ${TONES[state]}`} role="status">
          {t(`tray.states.${state}`)}
        </span>
      </div>
      {progress !== null && (
        <Progress
          percent={progress.total === 0 ? 100 : Math.floor((progress.done / progress.total) * 100)}
          size="small"
          showInfo={false}
          status={state === 'failed' ? 'exception' : 'normal'}
          aria-label={title}
        />
      )}
      <div className="row">
        <span className="muted grow">
          {progress !== null && t('tray.of', { done: whole(progress.done), total: whole(progress.total) })}
          {progress !== null && since !== null && ' · '}
          {since !== null && <Elapsed from={since} to={null} />}
        </span>
        {stop !== null && (
          <Button
            size="small"
            danger
            loading={stopping.isPending}
            onClick={() => stopping.mutate()}
            aria-label={t('tray.stopIt', { title })}
          >
            {t('tray.stop')}
          </Button>
        )}
      </div>
      {error !== null && <p className="danger-text">{error}</p>}
    </li>
  );
}
