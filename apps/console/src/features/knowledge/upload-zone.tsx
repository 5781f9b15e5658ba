import { FolderOutlined, UploadOutlined } from '@ant-design/icons';
import { Alert, Button, Progress } from 'antd';
import { useRef, useState, type DragEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { getErrorMessage, isTransient } from '../../ui/layout/errors.ts';
import { droppedFiles, isShown, MAX_FILES, type FoundFiles } from './dropped-files.ts';
import type { Upload } from './upload-queue.ts';
import { MAX_MEGABYTES, uploads as queue, useUploads } from './uploads.ts';

const EXTENSIONS =
  '.txt .md .markdown .csv .json .log .html .htm .pdf .docx .xlsx .pptx .epub .rtf .zip'.split(' ');

/** So many names are shown. */
const MAX_NAMES = 10;

/** Takes files by choice or drop, and sends them. */
export function UploadZone() {
  const { t } = useTranslation();
  const picker = useRef<HTMLInputElement>(null);
  const folderPicker = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  const [found, setFound] = useState<FoundFiles | null>(null);
  const uploads = useUploads();

  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    void droppedFiles(event.dataTransfer).then((dropped) => {
      setFound(dropped);
      if (dropped.files.length > 0) queue.add(dropped.files);
    });
  };

  return (
    <section
      className={isOver ? 'upload-zone over' : 'upload-zone'}
      aria-label={t('knowledge.upload')}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <div className="row wrap">
        <Button type="primary" icon={<UploadOutlined aria-hidden />} onClick={() => picker.current?.click()}>
          {t('knowledge.choose')}
        </Button>
        <Button icon={<FolderOutlined aria-hidden />} onClick={() => folderPicker.current?.click()}>
          {t('knowledge.chooseFolder')}
        </Button>
        <span className="muted">{t('knowledge.drop', { size: MAX_MEGABYTES })}</span>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          accept={EXTENSIONS.join(',')}
          aria-label={t('knowledge.choose')}
          onChange={({ target }) => {
            setFound(null);
            queue.add([...(target.files ?? [])]);
            target.value = '';
          }}
        />
        <input
          ref={folderPicker}
          type="file"
          {...{ webkitdirectory: '' }}
          hidden
          aria-label={t('knowledge.chooseFolder')}
          onChange={({ target }) => {
            setFound(null);
            queue.add([...(target.files ?? [])].filter(isShown));
            target.value = '';
          }}
        />
      </div>
      {found !== null && <Missing found={found} onClose={() => setFound(null)} />}
      {uploads.length > 0 && (
        <Uploads
          uploads={uploads}
          onStop={() => queue.stop()}
          onClear={() => queue.clear()}
          onAgain={(key) => queue.again(key)}
        />
      )}
    </section>
  );
}

/** Which files of what was dropped are not uploaded. */
function Missing({ found, onClose }: { found: FoundFiles; onClose: () => void }) {
  const { t } = useTranslation();
  const { leftOut, hasMore, unreadable } = found;
  const counts = { count: leftOut, most: MAX_FILES };
  const names = unreadable.slice(0, MAX_NAMES).join(', ');
  if (leftOut + unreadable.length === 0) return null;
  return (
    <Alert
      type="error"
      showIcon
      closable={{ onClose }}
      role="alert"
      title={t('knowledge.notUploaded')}
      description={
        <>
          {leftOut > 0 && <p>{t(hasMore ? 'knowledge.leftOutMore' : 'knowledge.leftOut', counts)}</p>}
          {unreadable.length > 0 && <p>{t('knowledge.unreadable', { count: unreadable.length, names })}</p>}
        </>
      }
    />
  );
}

interface UploadsProps {
  uploads: readonly Upload[];
  onStop: () => void;
  onClear: () => void;
  onAgain: (key: number) => void;
}

/** How far each file is, why it failed, and which files of an archive were skipped. */
export function Uploads({ uploads, onStop, onClear, onAgain }: UploadsProps) {
  const { t } = useTranslation();
  const left = uploads.filter(({ state }) => state === 'waiting' || state === 'sending').length;
  const done = uploads.length - left;
  const isRunning = left > 0;
  return (
    <div className="stack">
      <div className="row wrap">
        <span role="status" className="grow">
          {t('knowledge.progress', { done, total: uploads.length })}
        </span>
        {isRunning ? (
          <Button size="small" onClick={onStop}>
            {t('knowledge.stop')}
          </Button>
        ) : (
          <Button size="small" type="text" onClick={onClear}>
            {t('knowledge.clear')}
          </Button>
        )}
      </div>
      {isRunning && (
        <Progress
          percent={(done / uploads.length) * 100}
          showInfo={false}
          size="small"
          aria-label={t('knowledge.upload')}
        />
      )}
      <ul className="uploads">
        {uploads.map(({ key, name, state, error, skipped = [] }) => (
          <li key={key}>
            <span className="truncate">{name}</span>{' '}
            <span className={state === 'failed' ? 'danger-text' : 'muted'}>
              {state === 'failed' ? getErrorMessage(error, t) : t(`knowledge.uploads.${state}`)}
            </span>
            {state === 'failed' && isTransient(error) && (
              <Button
                size="small"
                type="link"
                onClick={() => onAgain(key)}
                aria-label={t('knowledge.againFile', { name })}
              >
                {t('common.tryAgain')}
              </Button>
            )}
            {skipped.length > 0 && (
              <details>
                <summary>{t('knowledge.skipped', { count: skipped.length })}</summary>
                <ul>
                  {skipped.map(({ fileName, reason }, i) => (
                    <li key={i}>{`${fileName}: ${reason}`}</li>
                  ))}
                </ul>
              </details>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
