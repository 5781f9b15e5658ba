import type { ToolInvocation } from '@platform/contracts';
import { Alert } from 'antd';
import { useTranslation } from 'react-i18next';
import { formatBytes } from '../../../ui/format/bytes.ts';
import { CopyButton } from '../../../ui/code/copy-button.tsx';
import { formatDuration } from '../../../ui/format/duration.ts';
import { Fact, Facts } from '../../../ui/layout/facts.tsx';
import { JsonView } from '../../../ui/code/json-view.tsx';
import { readSpeechOutput, type SpeechErrorCode } from './speech-output.ts';
import { useLanguageNames } from './use-language-names.ts';

/** The text of a clip with its figures, or the failure with what helps. */
export function SpeechResult({ result }: { result: ToolInvocation }) {
  const { t, i18n } = useTranslation();
  const nameOf = useLanguageNames();
  const output = readSpeechOutput(result.output);
  return (
    <>
      {output.success ? (
        <section className="speech-text" aria-label={t('speech.text')}>
          {output.text === '' ? (
            <p className="muted">{t('speech.noText')}</p>
          ) : (
            <>
              <p className="grow">{output.text}</p>
              <CopyButton size="small" type="text" text={output.text} label={t('speech.copy')} />
            </>
          )}
        </section>
      ) : (
        <Failure code={output.code} message={output.message} />
      )}
      {result.warnings.length > 0 && (
        <Alert
          type="warning"
          showIcon
          title={t('toolPages.warnings')}
          description={result.warnings.map((warning, i) => (
            <p key={i}>{warning}</p>
          ))}
        />
      )}
      {output.success && (
        <Facts>
          <Fact name={t('speech.language')}>{nameOf(output.language)}</Fact>
          <Fact name={t('speech.size')}>{formatBytes(output.audioSize, i18n.language)}</Fact>
          <Fact name={t('speech.recognition')}>{formatDuration(output.executionTime, i18n.language)}</Fact>
          <Fact name={t('speech.total')}>{formatDuration(result.durationMs, i18n.language)}</Fact>
        </Facts>
      )}
      <details>
        <summary className="muted">{t('speech.raw')}</summary>
        <JsonView value={result.output} label={t('toolPages.output')} />
      </details>
    </>
  );
}

function Failure({ code, message }: { code: SpeechErrorCode | null; message: string }) {
  const { t } = useTranslation();
  return (
    <section className="error-box" role="alert">
      <strong>{code === null ? t('speech.failed') : t(`speech.codes.${code}`)}</strong>{' '}
      {code !== null && <code className="muted">{code}</code>}
      <p>{message}</p>
      {code !== null && <p className="muted">{t(`speech.remedies.${code}`)}</p>}
    </section>
  );
}
