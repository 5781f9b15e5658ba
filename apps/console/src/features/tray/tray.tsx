import { SyncOutlined } from '@ant-design/icons';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from '@tanstack/react-query';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { inboxCountQuery } from '../inbox/inbox-query.ts';
import { useWork } from './use-work.ts';
import './tray.css';

const TrayPanel = lazyPart(() =>
  import('./tray-panel.tsx').then((module) => ({ default: module.TrayPanel })),
);

/** What is under way, in reach on every page. */
export function Tray() {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const work = useWork();
  const questions = useQuery(inboxCountQuery).data?.open ?? 0;
  const running = work.filter(({ state }) => state === 'running').length;

  return (
    <>
      <button type="button" className="tray-button" onClick={() => setOpen(true)}>
        <SyncOutlined aria-hidden className={running > 0 ? 'working' : undefined} />
        <span className="grow">{t('tray.title')}</span>
        {running > 0 && (
          <span className="side-count">
            <span aria-hidden>{running}</span>
            <span className="visually-hidden">{t('tray.running', { count: running })}</span>
          </span>
        )}
      </button>
      {isOpen && (
        <Suspense>
          <TrayPanel work={work} questions={questions} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
