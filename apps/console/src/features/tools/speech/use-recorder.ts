import { useCallback, useEffect, useRef, useState } from 'react';
import { Recorder } from './recorder.ts';

/** Why nothing can be recorded. */
export type MicrophoneProblem = 'insecure' | 'denied' | 'missing' | 'busy' | 'failed';

type Recording =
  | { phase: 'idle'; problem: MicrophoneProblem | null }
  /** The browser may be asking the user for permission. */
  | { phase: 'starting' }
  | { phase: 'recording'; seconds: number; level: number }
  | { phase: 'finishing' };

const IDLE: Recording = { phase: 'idle', problem: null };

/** Records one clip at a time, which ends by itself after `maxSeconds`. */
export function useRecorder(maxSeconds: number, onRecorded: (clip: File) => void) {
  const [recording, setRecording] = useState<Recording>(IDLE);
  const recorder = useRef<Recorder | null>(null);
  const isMounted = useRef(true);

  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
      recorder.current?.close();
    };
  }, []);

  const start = useCallback(async () => {
    // Without HTTPS, browsers offer the microphone only on the machine itself.
    if (!window.isSecureContext) {
      setRecording({ phase: 'idle', problem: 'insecure' });
      return;
    }
    setRecording({ phase: 'starting' });
    try {
      const started = await Recorder.start({
        maxSeconds,
        onProgress: (seconds, level) =>
          setRecording((now) => (isStopped(now) ? now : { phase: 'recording', seconds, level })),
      });
      // The page may have been left while the browser was asking.
      if (!isMounted.current) {
        started.close();
        return;
      }
      recorder.current = started;
      setRecording({ phase: 'recording', seconds: 0, level: 0 });
    } catch (error) {
      setRecording({ phase: 'idle', problem: toProblem(error) });
    }
  }, [maxSeconds]);

  const stop = useCallback(async () => {
    const { current } = recorder;
    if (current === null) return;
    recorder.current = null;
    setRecording({ phase: 'finishing' });
    try {
      const wav = await current.stop(maxSeconds);
      onRecorded(new File([wav], 'recording.wav', { type: 'audio/wav' }));
      setRecording(IDLE);
    } catch {
      setRecording({ phase: 'idle', problem: 'failed' });
    }
  }, [maxSeconds, onRecorded]);

  const isFull = recording.phase === 'recording' && recording.seconds >= maxSeconds;
  useEffect(() => {
    if (isFull) void stop();
  }, [isFull, stop]);

  return { recording, start, stop };
}

/** Blocks can arrive after the end. */
function isStopped({ phase }: Recording): boolean {
  return phase === 'idle' || phase === 'finishing';
}

function toProblem(error: unknown): MicrophoneProblem {
  switch (error instanceof DOMException ? error.name : '') {
    case 'NotAllowedError':
    case 'SecurityError':
      return 'denied';
    case 'NotFoundError':
    case 'OverconstrainedError':
      return 'missing';
    case 'NotReadableError':
    case 'AbortError':
      return 'busy';
    default:
      return 'failed';
  }
}
