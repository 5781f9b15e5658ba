import { FileTextOutlined, FolderOutlined } from '@ant-design/icons';
import { Button, Input, Segmented } from 'antd';
import { useRef, useState, type DragEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../ui/code/copy-button.tsx';
import { detectSource } from '../document/detect-source.ts';
import type { DocumentSource, ReadProblem } from '../document/import-protocol.ts';

/** How a document is given. */
export type Way = 'file' | 'text' | 'url' | 'curl';

/** What is entered for each way, which stays when another one is chosen. */
interface Entered {
  text: string;
  curl: string;
  url: string;
  /** Of the header. */
  name: string;
  value: string;
}

interface ImportSourceProps {
  ways: readonly Way[];
  /** Why the last document could not be read. */
  problem: ReadProblem | null;
  onRead: (source: DocumentSource) => void;
}

/** A document: chosen or dropped as a file, pasted as text, or loaded from a URL. */
export function ImportSource({ ways, problem, onRead }: ImportSourceProps) {
  const { t } = useTranslation();
  const [way, setWay] = useState<Way>('file');
  const [entered, setEntered] = useState<Entered>({ text: '', curl: '', url: '', name: '', value: '' });
  const [isOver, setIsOver] = useState(false);

  const takesCurl = ways.includes('curl');
  const readText = (text: string) => {
    const source = detectSource(text);
    onRead(source.type === 'curl' && !takesCurl ? { type: 'text', text } : source);
  };

  const enter = (changes: Partial<Entered>) => setEntered((before) => ({ ...before, ...changes }));
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    readFiles([...event.dataTransfer.files], onRead);
  };

  return (
    // A file can be dropped whatever the way is: the messages about URLs ask for it.
    <div
      className="stack"
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <div>
        <Segmented
          aria-label={t('toolImport.source')}
          options={ways.map((value) => ({ value, label: t(`toolImport.ways.${value}`) }))}
          value={way}
          onChange={setWay}
        />
      </div>
      <div className={isOver ? 'import-drop over' : 'import-drop'}>
        {way === 'file' && <FileInput onRead={onRead} />}
        {way === 'text' && (
          <TextInput
            key="text"
            label={t('toolImport.text')}
            placeholder="openapi: 3.1.0"
            hint={t(takesCurl ? 'toolImport.textHint' : 'toolImport.textUrlHint')}
            text={entered.text}
            onChange={(text) => enter({ text })}
            onSubmit={readText}
          />
        )}
        {way === 'curl' && (
          <TextInput
            key="curl"
            label={t('toolImport.curl')}
            placeholder="curl -X POST https://api.example.com/orders -d '…'"
            hint={t('toolImport.curlHint')}
            text={entered.curl}
            onChange={(curl) => enter({ curl })}
            onSubmit={(command) => onRead({ type: 'curl', command })}
          />
        )}
        {way === 'url' && <UrlInput entered={entered} onChange={enter} onRead={onRead} />}
      </div>
      {problem !== null && <Problem problem={problem} />}
    </div>
  );
}

/** One file is a document or an archive; several are the parts of one. */
function readFiles(files: File[], onRead: ImportSourceProps['onRead']): void {
  const [file] = files;
  if (file === undefined) return;
  onRead(files.length === 1 ? { type: 'file', file } : { type: 'folder', files });
}

type InputProps = Pick<ImportSourceProps, 'onRead'>;

function FileInput({ onRead }: InputProps) {
  const { t } = useTranslation();
  const picker = useRef<HTMLInputElement>(null);
  const folderPicker = useRef<HTMLInputElement>(null);
  const read = (input: HTMLInputElement) => {
    readFiles([...(input.files ?? [])], onRead);
    // The same file can be chosen again after a correction.
    input.value = '';
  };
  return (
    <div className="import-file">
      <div className="row wrap">
        <Button icon={<FileTextOutlined aria-hidden />} onClick={() => picker.current?.click()}>
          {t('toolImport.choose')}
        </Button>
        <Button icon={<FolderOutlined aria-hidden />} onClick={() => folderPicker.current?.click()}>
          {t('toolImport.chooseFolder')}
        </Button>
      </div>
      <span className="muted">{t('toolImport.drop')}</span>
      <input
        ref={picker}
        type="file"
        multiple
        accept=".json,.yaml,.yml,.zip"
        hidden
        aria-label={t('toolImport.choose')}
        onChange={({ target }) => read(target)}
      />
      <input
        ref={folderPicker}
        type="file"
        {...{ webkitdirectory: '' }}
        hidden
        aria-label={t('toolImport.chooseFolder')}
        onChange={({ target }) => read(target)}
      />
    </div>
  );
}

interface TextInputProps {
  label: string;
  placeholder: string;
  hint?: string;
  text: string;
  onChange: (text: string) => void;
  onSubmit: (text: string) => void;
}

function TextInput({ label, placeholder, hint, text, onChange, onSubmit }: TextInputProps) {
  const { t } = useTranslation();
  return (
    <>
      <Input.TextArea
        className="mono"
        aria-label={label}
        placeholder={placeholder}
        autoSize={{ minRows: 10, maxRows: 22 }}
        spellCheck={false}
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
      {hint !== undefined && <p className="muted">{hint}</p>}
      <div>
        <Button type="primary" disabled={text.trim() === ''} onClick={() => onSubmit(text)}>
          {t('toolImport.read')}
        </Button>
      </div>
    </>
  );
}

interface UrlInputProps extends InputProps {
  entered: Entered;
  onChange: (changes: Partial<Entered>) => void;
}

function UrlInput({ entered: { url, name, value }, onChange, onRead }: UrlInputProps) {
  const { t } = useTranslation();
  const header = name.trim() === '' ? null : { name: name.trim(), value };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onRead({ type: 'url', url, header });
      }}
    >
      <Input
        className="mono"
        inputMode="url"
        aria-label={t('toolImport.url')}
        placeholder="https://api.example.com/openapi.json"
        value={url}
        onChange={({ target }) => onChange({ url: target.value })}
      />
      <div className="form-pair">
        <Input
          className="mono"
          aria-label={t('toolImport.headerName')}
          placeholder="Authorization"
          autoComplete="off"
          value={name}
          onChange={({ target }) => onChange({ name: target.value })}
        />
        <Input.Password
          className="mono"
          aria-label={t('toolImport.headerValue')}
          placeholder="Bearer …"
          autoComplete="new-password"
          value={value}
          onChange={({ target }) => onChange({ value: target.value })}
        />
      </div>
      <p className="muted">{t('toolImport.headerHint')}</p>
      <div>
        <Button type="primary" htmlType="submit" disabled={url.trim() === ''}>
          {t('toolImport.read')}
        </Button>
      </div>
    </form>
  );
}

function Problem({ problem }: { problem: ReadProblem }) {
  const { t } = useTranslation();
  return (
    <section className="error-box stack" role="alert">
      <strong>{t('toolImport.failed')}</strong>
      <p>{useProblemText(problem)}</p>
      {'command' in problem && (
        <div className="json-view">
          <pre className="code-block" tabIndex={0} role="group" aria-label={t('toolImport.command')}>
            {problem.command}
          </pre>
          <CopyButton
            size="small"
            type="text"
            text={problem.command}
            label={t('common.copyNamed', { name: t('toolImport.command') })}
          />
        </div>
      )}
    </section>
  );
}

function useProblemText(problem: ReadProblem): string {
  const { t } = useTranslation();
  switch (problem.kind) {
    case 'document':
      return problem.message;
    case 'workerFailed':
      return t('toolImport.workerFailed');
    case 'status':
      return t('toolImport.problems.status', { status: problem.status });
    case 'tooLarge':
      return t('toolImport.problems.tooLarge', { size: problem.megabytes });
    case 'invalid':
    case 'html':
    case 'header':
    case 'mixed':
    case 'network':
    case 'zip':
    case 'noDocument':
      return t(`toolImport.problems.${problem.kind}`);
  }
}
