import { FileTextOutlined } from '@ant-design/icons';
import { Button, Input } from 'antd';
import { useId, useRef, useState, type DragEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { getProblems } from '../../ui/layout/errors.ts';
import { parseManifest, parseProblems } from './manifest.ts';

/** The service accepts no larger body. */
const MAX_BYTES = 1024 * 1024;

interface ManifestInputProps {
  value: string;
  onChange: (text: string) => void;
  /** What the service said about the manifest. */
  error: Error | null;
  /** While it is sent. */
  disabled: boolean;
}

/** A manifest: dropped or chosen as a file, or pasted as text. */
export function ManifestInput({ value, onChange, error, disabled }: ManifestInputProps) {
  const { t } = useTranslation();
  const hint = useId();
  const picker = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  const [tooLarge, setTooLarge] = useState(false);
  const isInvalid = value.trim() !== '' && parseManifest(value) === undefined;

  const read = async (file: File | undefined) => {
    if (file === undefined || disabled) return;
    setTooLarge(file.size > MAX_BYTES);
    if (file.size <= MAX_BYTES) onChange(await file.text());
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    void read(event.dataTransfer.files[0]);
  };

  return (
    <div className="stack">
      <div
        className={isOver ? 'manifest-drop over' : 'manifest-drop'}
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
      >
        <div className="row wrap">
          <Button
            icon={<FileTextOutlined aria-hidden />}
            disabled={disabled}
            onClick={() => picker.current?.click()}
          >
            {t('manifest.choose')}
          </Button>
          <span className="muted">{t('manifest.drop')}</span>
        </div>
        <input
          ref={picker}
          type="file"
          accept=".json,application/json"
          hidden
          aria-label={t('manifest.choose')}
          onChange={({ target }) => {
            void read(target.files?.[0]);
            // The same file can be chosen again after a correction.
            target.value = '';
          }}
        />
        <Input.TextArea
          className="mono"
          aria-label={t('manifest.text')}
          aria-describedby={hint}
          aria-invalid={isInvalid}
          status={isInvalid ? 'error' : ''}
          placeholder={
            '{ "identifier": "order-desk", "name": "Order desk", "version": "1.0.0", "events": [] }'
          }
          autoSize={{ minRows: 10, maxRows: 22 }}
          spellCheck={false}
          disabled={disabled}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      </div>
      <p id={hint} className={isInvalid || tooLarge ? 'danger-text' : 'muted'} role="status">
        {tooLarge ? t('manifest.tooLarge') : isInvalid ? t('manifest.notJson') : t('manifest.hint')}
      </p>
      {error !== null && <Problems error={error} />}
    </div>
  );
}

function Problems({ error }: { error: Error }) {
  const { t } = useTranslation();
  return (
    <section className="error-box" role="alert">
      <strong>{t('manifest.rejected')}</strong>
      <ul className="manifest-problems">
        {parseProblems(getProblems(error, t)).map(({ pointer, text }, i) => (
          <li key={i}>
            {pointer !== null && <code>{pointer}</code>} {text}
          </li>
        ))}
      </ul>
    </section>
  );
}
