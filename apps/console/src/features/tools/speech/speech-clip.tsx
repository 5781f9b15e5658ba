import { AudioOutlined, BorderOutlined, SoundOutlined } from '@ant-design/icons';
import { SPEECH_FORMATS } from '@platform/contracts';
import { Alert, Button, Progress } from 'antd';
import { useEffect, useRef, useState, type DragEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { formatBytes } from '../../../ui/format/bytes.ts';
import { useRecorder } from './use-recorder.ts';

interface SpeechClipProps {
  clip: File | null;
  maxSeconds: number;
  maxBytes: number;
  onClip: (clip: File) => void;
}

/** Takes a clip from the microphone, by drop, or as a file, and plays it. */
export function SpeechClip({ clip, maxSeconds, maxBytes, onClip }: SpeechClipProps) {
  const { t } = useTranslation();
  const picker = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  const { recording, start, stop } = useRecorder(maxSeconds, onClip);
  const isRecording = recording.phase === 'recording';
  const isBusy = isRecording || recording.phase === 'finishing';

  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    const [file] = event.dataTransfer.files;
    if (file !== undefined && !isBusy) onClip(file);
  };

  return (
    <div
      className={isOver ? 'import-drop over' : 'import-drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <div className="row wrap">
        {isRecording ? (
          <Button danger icon={<BorderOutlined aria-hidden />} onClick={() => void stop()}>
            {t('speech.stop')}
          </Button>
        ) : (
          <Button
            icon={<AudioOutlined aria-hidden />}
            loading={recording.phase === 'starting' || recording.phase === 'finishing'}
            onClick={() => void start()}
          >
            {t(recording.phase === 'starting' ? 'speech.allow' : 'speech.record')}
          </Button>
        )}
        <Button disabled={isBusy} onClick={() => picker.current?.click()}>
          {t('toolImport.choose')}
        </Button>
        <span className="muted">
          {t('speech.drop', {
            formats: SPEECH_FORMATS.join(', '),
            size: toMegabytes(maxBytes),
            seconds: maxSeconds,
          })}
        </span>
        <input
          ref={picker}
          type="file"
          accept={[...SPEECH_FORMATS.map((format) => `.${format}`), 'audio/*'].join(',')}
          hidden
          aria-label={t('toolImport.choose')}
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            if (file !== undefined) onClip(file);
            target.value = '';
          }}
        />
      </div>
      {isRecording && <RecordingBar {...recording} maxSeconds={maxSeconds} />}
      {recording.phase === 'idle' && recording.problem !== null && (
        <Alert
          type="warning"
          showIcon
          role="alert"
          title={t(`speech.microphone.${recording.problem}`)}
          description={t(`speech.microphone.${recording.problem}Text`)}
        />
      )}
      {clip !== null && !isBusy && <Preview clip={clip} maxBytes={maxBytes} />}
    </div>
  );
}

function RecordingBar({
  seconds,
  level,
  maxSeconds,
}: {
  seconds: number;
  level: number;
  maxSeconds: number;
}) {
  const { t } = useTranslation();
  return (
    <div className="stack">
      <div className="row">
        <span className="recording-dot" aria-hidden />
        <span role="timer" aria-label={t('speech.recorded')} className="mono">
          {formatClock(seconds)} / {formatClock(maxSeconds)}
        </span>
        {/* The loudness of speech is far below that of a full signal. */}
        <meter
          className="grow"
          aria-label={t('speech.level')}
          min={0}
          max={1}
          value={Math.min(1, Math.sqrt(level))}
        />
      </div>
      <Progress
        percent={(seconds / maxSeconds) * 100}
        showInfo={false}
        size="small"
        aria-label={t('speech.recorded')}
      />
    </div>
  );
}

function Preview({ clip, maxBytes }: { clip: File; maxBytes: number }) {
  const { t, i18n } = useTranslation();
  const [playable, setPlayable] = useState(true);
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(clip);
    setUrl(made);
    setPlayable(true);
    return () => URL.revokeObjectURL(made);
  }, [clip]);
  return (
    <div className="stack">
      <span className="row wrap">
        <SoundOutlined aria-hidden />
        <span className="truncate">{clip.name}</span>
        <span className="muted">{formatBytes(clip.size, i18n.language)}</span>
      </span>
      {clip.size > maxBytes && (
        <p role="alert" className="danger-text">
          {t('speech.tooLarge', { size: toMegabytes(maxBytes) })}
        </p>
      )}
      {/* Browsers cannot play every format that the provider understands. */}
      {url !== null && playable && (
        <audio controls src={url} aria-label={clip.name} onError={() => setPlayable(false)} />
      )}
    </div>
  );
}

/** As the limit of the provider is written: 5 MB are 5,242,880 bytes. */
function toMegabytes(bytes: number): number {
  return Math.round((bytes / 1024 / 1024) * 100) / 100;
}

function formatClock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
