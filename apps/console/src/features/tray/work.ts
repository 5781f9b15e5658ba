import type {
  BulkReplay,
  BulkRunAction,
  Job,
  KnowledgeDocument,
  KnowledgeEmbedding,
  KnowledgeSource,
  RunListing,
} from '@platform/contracts';
import type { TFunction } from 'i18next';
import { client } from '../../api.ts';
import { paths } from '../../paths.ts';
import type { Upload } from '../knowledge/upload-queue.ts';

/** What became of work. Entries that have ended stay for a while, so that their result can be read. */
export type WorkState = 'running' | 'done' | 'stopped' | 'failed';

export interface Work {
  key: string;
  title: string;
  state: WorkState;
  /** Null: nobody knows how much there is. */
  progress: { done: number; total: number } | null;
  /** Since when it runs; null if that says nothing. */
  since: string | null;
  error: string | null;
  to: string;
  /** Null: it cannot be stopped here. */
  stop: (() => Promise<unknown>) | null;
}

/** How long bulk work that has ended is shown. */
const SHOWN_MS = 10 * 60_000;

const BULK_STATES: Record<BulkReplay['status'], WorkState> = {
  RUNNING: 'running',
  COMPLETED: 'done',
  STOPPED: 'stopped',
  FAILED: 'failed',
};

function isShown({ finishedAt }: Pick<BulkReplay, 'finishedAt'>, now: number): boolean {
  return finishedAt === null || now - Date.parse(finishedAt) < SHOWN_MS;
}

export function listReplays(replays: readonly BulkReplay[], now: number, t: TFunction): Work[] {
  return replays
    .filter((replay) => isShown(replay, now))
    .map(({ id, status, query: { event }, total, replayed, refused, createdAt, lastError }) => ({
      key: `replay ${id}`,
      title: event == null ? t('tray.replay') : t('tray.replayOf', { event }),
      state: BULK_STATES[status],
      progress: { done: replayed + refused, total },
      since: status === 'RUNNING' ? createdAt : null,
      error: lastError,
      to: paths.eventLog({ replay: id }),
      stop: status === 'RUNNING' ? () => client.events.stopBulkReplay(id) : null,
    }));
}

export function listRunActions(actions: readonly BulkRunAction[], now: number, t: TFunction): Work[] {
  return actions
    .filter((action) => isShown(action, now))
    .map(({ id, action, status, total, changed, refused, createdAt, lastError }) => ({
      key: `run action ${id}`,
      title: t(`tray.runActions.${action}`),
      state: BULK_STATES[status],
      progress: { done: changed + refused, total },
      since: status === 'RUNNING' ? createdAt : null,
      error: lastError,
      to: paths.runs(),
      stop: status === 'RUNNING' ? () => client.runs.stopBulkAction(id) : null,
    }));
}

export function listJobs(
  queued: readonly Job[],
  running: readonly Job[],
  nameOf: (job: Job) => string,
  t: TFunction,
): Work[] {
  // The two were not loaded at the same time: a job that has begun meanwhile can be in both.
  const jobs = new Map([...queued, ...running].map((job) => [job.id, job]));
  return [...jobs.values()].map((job) => ({
    key: `job ${job.id}`,
    title: t('tray.job', { agent: nameOf(job) }),
    state: 'running',
    progress: { done: job.progress, total: 100 },
    since: job.startedAt ?? job.createdAt,
    error: null,
    to: paths.job(job.id),
    stop: () => client.jobs.cancel(job.id),
  }));
}

export function listRuns(runs: readonly RunListing[], userId: string, t: TFunction): Work[] {
  const own = runs.filter(({ ownerUserId }) => ownerUserId === userId);
  return own.map(({ id, taskName, startedAt, createdAt }) => ({
    key: `run ${id}`,
    title: t('tray.run', { task: taskName }),
    state: 'running',
    progress: null,
    since: startedAt ?? createdAt,
    error: null,
    to: paths.run(id),
    stop: () => client.runs.cancel(id),
  }));
}

/** Files that this tab sends. */
export function listUploads(uploads: readonly Upload[], stop: () => void, t: TFunction): Work[] {
  if (uploads.length === 0) return [];
  const left = uploads.filter(({ state }) => state === 'waiting' || state === 'sending').length;
  const failed = uploads.filter(({ state }) => state === 'failed').length;
  const isStopped = uploads.some(({ state }) => state === 'stopped');
  const ended = failed > 0 ? 'failed' : isStopped ? 'stopped' : 'done';
  return [
    {
      key: 'uploads',
      title: t('tray.upload'),
      state: left > 0 ? 'running' : ended,
      progress: { done: uploads.length - left, total: uploads.length },
      since: null,
      error: failed > 0 ? t('tray.uploadsFailed', { count: failed }) : null,
      to: paths.knowledge,
      stop:
        left > 0
          ? () => {
              stop();
              return Promise.resolve();
            }
          : null,
    },
  ];
}

interface Knowledge {
  documents: readonly KnowledgeDocument[];
  sources: readonly KnowledgeSource[];
  embedding: KnowledgeEmbedding | null;
}

/** Documents that are read, sources that are fetched, and vectors that are made. */
export function listKnowledge({ documents, sources, embedding }: Knowledge, t: TFunction): Work[] {
  const reading = documents.filter(({ status }) => status === 'PROCESSING');
  const quiet = { state: 'running', error: null, to: paths.knowledge, stop: null } as const;
  const work: Work[] = sources
    .filter(({ status }) => status === 'FETCHING')
    .map(({ id, url, startedAt }) => ({
      ...quiet,
      key: `source ${id}`,
      title: t('tray.source', { url }),
      progress: null,
      since: startedAt,
    }));
  if (reading.length > 0)
    work.push({
      ...quiet,
      key: 'documents',
      title: t('tray.documents', { count: reading.length }),
      progress: null,
      since: null,
    });
  if (embedding !== null && embedding.status === 'BUILDING' && embedding.passages > 0)
    work.push({
      ...quiet,
      key: `embedding ${embedding.id}`,
      title: t('tray.embedding', { model: embedding.model }),
      progress: { done: embedding.embedded, total: embedding.passages },
      since: null,
      error: embedding.error,
    });
  return work;
}
