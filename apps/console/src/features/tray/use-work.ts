import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { useNow } from '../../ui/format/use-now.ts';
import { useAgentName } from '../agents/agent-names.ts';
import { useIsAdmin, useSession } from '../auth/session.ts';
import { uploads, useUploads } from '../knowledge/uploads.ts';
import { liveJobsQuery, liveRunsQuery } from '../overview/live-queries.ts';
import {
  listJobs,
  listKnowledge,
  listReplays,
  listRunActions,
  listRuns,
  listUploads,
  type Work,
} from './work.ts';

/** The page comes first. */
const PATIENCE_MS = 1_000;
/** The stream tells what changes. */
const STALE_MS = 60_000;
const LIMIT = 20;
const MINUTE_MS = 60_000;

/** Everything that is under way for the user, in whichever tab it was begun. */
export function useWork(): Work[] {
  const { t } = useTranslation();
  const { user } = useSession();
  const isAdmin = useIsAdmin();
  const options = { enabled: useIsLater(), staleTime: STALE_MS };
  const now = useNow(MINUTE_MS);
  const replays = useQuery({
    ...options,
    queryKey: [...keys.bulkReplays, 'latest'],
    queryFn: () => client.events.bulkReplays({ limit: LIMIT }),
    enabled: options.enabled && isAdmin,
  });
  const actions = useQuery({
    ...options,
    queryKey: [...keys.bulkRunActions, 'latest'],
    queryFn: () => client.runs.bulkActions({ limit: LIMIT }),
  });
  const jobs = useQuery({ ...options, ...liveJobsQuery });
  const queued = useQuery({
    ...options,
    queryKey: [...keys.jobs, 'queued'],
    queryFn: () => client.jobs.list({ status: 'QUEUED', limit: LIMIT }),
  });
  const runs = useQuery({ ...options, ...liveRunsQuery });
  const ownRuns = useQuery({
    ...options,
    queryKey: [...keys.runs, 'own'],
    queryFn: () => client.runs.list({ status: 'RUNNING', ownerUserId: user.id, limit: LIMIT }),
    // Those of others may come first.
    enabled: options.enabled && runs.data !== undefined && runs.data.nextCursor !== null,
  });
  const documents = useQuery({
    ...options,
    queryKey: [...keys.knowledge, 'tray'],
    queryFn: () => client.knowledge.listDocuments({ limit: LIMIT }),
  });
  const sources = useQuery({
    ...options,
    queryKey: [...keys.knowledgeSources, 'tray'],
    queryFn: () => client.knowledge.listSources({ limit: LIMIT }),
  });
  const settings = useQuery({
    ...options,
    queryKey: keys.knowledgeSettings,
    queryFn: () => client.knowledge.getSettings(),
  });
  const nameOf = useAgentName();
  const sent = useUploads();
  return [
    ...listUploads(sent, () => uploads.stop(), t),
    ...listReplays(replays.data?.items ?? [], now, t),
    ...listRunActions(actions.data?.items ?? [], now, t),
    ...listJobs(queued.data?.items ?? [], jobs.data?.items ?? [], nameOf, t),
    ...listRuns((ownRuns.data ?? runs.data)?.items ?? [], user.id, t),
    ...listKnowledge(
      {
        documents: documents.data?.items ?? [],
        sources: sources.data?.items ?? [],
        embedding: settings.data?.embedding ?? null,
      },
      t,
    ),
  ];
}

function useIsLater(): boolean {
  const [isLater, setLater] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLater(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return isLater;
}
