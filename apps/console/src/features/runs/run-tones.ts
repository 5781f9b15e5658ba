import type { RunStatus } from '@platform/contracts';
import type { Tone } from '../../ui/charts/chart.tsx';

export const RUN_TONES: Record<RunStatus, Tone> = {
  QUEUED: 'active',
  RUNNING: 'active',
  WAITING: 'active',
  SUCCEEDED: 'good',
  FAILED: 'bad',
  CANCELLED: 'quiet',
  INTERRUPTED: 'warned',
};
