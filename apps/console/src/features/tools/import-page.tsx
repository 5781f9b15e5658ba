import { LockOutlined } from '@ant-design/icons';
import { Button, Progress as ProgressBar } from 'antd';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/card.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useIsAdmin } from '../auth/session.ts';
import { DocumentWorker, type Progress } from './document-worker.ts';
import { ImportMethods } from './import-methods.tsx';
import {
  ReadError,
  type DocumentOverview,
  type DocumentSource,
  type ReadProblem,
} from './import-protocol.ts';
import { ImportReport } from './import-report.tsx';
import { ImportSave } from './import-save.tsx';
import { ImportSource } from './import-source.tsx';
import './tools.css';

interface OpenDocument {
  worker: DocumentWorker;
  overview: DocumentOverview;
}

/** Imports a tool: reads a document in a worker, shows what it contains, and saves the chosen methods. */
export function Component() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const reader = useRef<DocumentWorker>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [problem, setProblem] = useState<ReadProblem | null>(null);
  const [document, setDocument] = useState<OpenDocument | null>(null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());

  const close = () => {
    reader.current?.terminate();
    reader.current = null;
    setProgress(null);
    setDocument(null);
    setChosen(new Set());
  };
  useEffect(() => () => reader.current?.terminate(), []);

  const read = async (source: DocumentSource) => {
    close();
    setProblem(null);
    setProgress({ done: 0, total: 0 });
    const worker = new DocumentWorker();
    reader.current = worker;
    try {
      const overview = await worker.read(source, setProgress);
      setDocument({ worker, overview });
    } catch (error) {
      worker.terminate();
      setProblem(error instanceof ReadError ? error.problem : { kind: 'workerFailed' });
    }
    setProgress(null);
  };

  const page = (content: ReactNode) => (
    <Page
      title={t('toolImport.title')}
      description={t('toolImport.description')}
      parent={{ to: paths.tools, label: t('tools.title') }}
    >
      <div className="stack-cards">{content}</div>
    </Page>
  );
  if (!isAdmin) return page(<EmptyState icon={<LockOutlined aria-hidden />} title={t('states.forbidden')} />);
  if (document === null) {
    return page(
      <Card title={t('toolImport.source')}>
        {/* Hidden instead of removed while a document is read, so that the input is kept. */}
        <div hidden={progress !== null}>
          <ImportSource problem={problem} onRead={(source) => void read(source)} />
        </div>
        {progress !== null && <Reading progress={progress} onCancel={close} />}
      </Card>,
    );
  }
  const { worker, overview } = document;
  return page(
    <>
      <ImportReport overview={overview} onClose={close} />
      <ImportMethods overview={overview} chosen={chosen} onChange={setChosen} />
      <ImportSave overview={overview} worker={worker} chosen={chosen} />
    </>,
  );
}

function Reading({ progress: { done, total }, onCancel }: { progress: Progress; onCancel: () => void }) {
  const { t } = useTranslation();
  return (
    <div className="stack" role="status">
      <p>
        {t('toolImport.reading')}
        {total > 0 && <span className="muted"> · {t('toolImport.progress', { done, total })}</span>}
      </p>
      <ProgressBar
        percent={total === 0 ? 0 : Math.round((100 * done) / total)}
        showInfo={false}
        aria-label={t('toolImport.reading')}
      />
      <div>
        <Button onClick={onCancel}>{t('toolImport.cancel')}</Button>
      </div>
    </div>
  );
}
