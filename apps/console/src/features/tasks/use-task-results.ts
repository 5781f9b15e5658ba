import type { TaskResult } from '@platform/contracts';
import { useQueries } from '@tanstack/react-query';
import { client, keys } from '../../api.ts';

const REFRESH_MS = 10_000;
/** A page of the list of tasks. */
const CHUNK = 100;

/**
 * How the latest runs of tasks ended, the newest first, with one request for each page. Undefined for a task of which that is not
 * known.
 */
export function useTaskResults(taskIds: readonly string[]): (taskId: string) => TaskResult[] | undefined {
  const chunks = Array.from({ length: Math.ceil(taskIds.length / CHUNK) }, (_, i) =>
    taskIds.slice(i * CHUNK, (i + 1) * CHUNK),
  );
  const loaded = useQueries({
    queries: chunks.map((ids) => ({
      queryKey: [...keys.taskResults, ids],
      queryFn: () => client.runs.results(ids),
      // A long list must not take more requests than a short one.
      refetchInterval: REFRESH_MS * chunks.length,
    })),
  });
  return (wanted) => {
    const data = loaded[Math.floor(taskIds.indexOf(wanted) / CHUNK)]?.data;
    return data && (data.find(({ taskId }) => taskId === wanted)?.results ?? []);
  };
}
