import { Button, Progress as ProgressBar } from 'antd';
import { startTransition, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Card } from '../../../ui/layout/card.tsx';
import { DocumentWorker, type Progress } from '../document/document-worker.ts';
import {
  ReadError,
  type DocumentOverview,
  type DocumentSource,
  type ReadProblem,
} from '../document/import-protocol.ts';
import { ImportSource, type Way } from './import-source.tsx';

export interface OpenDocument {
  worker: DocumentWorker;
  overview: DocumentOverview;
}

interface Reader {
  document: OpenDocument | null;
  progress: Progress | null;
  problem: ReadProblem | null;
  read: (source: DocumentSource) => Promise<void>;
  close: () => void;
}

/** Reads documents in a worker, one at a time. The worker ends with the page. */
export function useDocumentReader(): Reader {
  const worker = useRef<DocumentWorker>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [problem, setProblem] = useState<ReadProblem | null>(null);
  const [document, setDocument] = useState<OpenDocument | null>(null);

  const close = () => {
    worker.current?.terminate();
    worker.current = null;
    setProgress(null);
    setDocument(null);
  };
  useEffect(() => () => worker.current?.terminate(), []);

  const read = async (source: DocumentSource) => {
    close();
    setProblem(null);
    setProgress({ done: 0, total: 0 });
    const reader = new DocumentWorker();
    worker.current = reader;
    try {
      const overview = await reader.read(source, setProgress);
      // Rendered in small steps, so that the page stays responsive.
      startTransition(() => {
        setDocument({ worker: reader, overview });
        setProgress(null);
      });
    } catch (error) {
      reader.terminate();
      setProblem(error instanceof ReadError ? error.problem : { kind: 'workerFailed' });
      setProgress(null);
    }
  };
  return { document, progress, problem, read, close };
}

/** Asks for a document and shows how far it is read. */
export function ReadStep({ reader, ways }: { reader: Reader; ways: readonly Way[] }) {
  const { t } = useTranslation();
  const { progress, problem, read, close } = reader;
  return (
    <Card title={t('toolImport.source')}>
      {/* Hidden instead of removed while a document is read, so that the input is kept. */}
      <div hidden={progress !== null}>
        <ImportSource ways={ways} problem={problem} onRead={(source) => void read(source)} />
      </div>
      {progress !== null && <Reading progress={progress} onCancel={close} />}
    </Card>
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
