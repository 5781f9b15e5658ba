import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';

/** What one request names at most. */
const MOST = 200;

/** Returns a function for the names of agents, also of deleted ones. Only the names that it is asked for are loaded. */
export function useAgentName(): (agent: { agentId: string }) => string {
  const { t } = useTranslation();
  const [ids, ask] = useWanted();
  const names = useQuery({
    queryKey: [...keys.agents, 'names', ids],
    queryFn: () => loadNames(ids),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  });
  return ({ agentId }) => {
    const name = names.data?.get(agentId);
    if (name !== undefined) return name;
    ask(agentId);
    return names.isFetching || names.isError || !ids.includes(agentId) ? '…' : t('jobs.deletedAgent');
  };
}

/** Collects what is asked for while a page is drawn. */
function useWanted(): [ids: string[], ask: (id: string) => void] {
  const [ids, setIds] = useState<string[]>([]);
  const wanted = useRef(new Set<string>());
  const ask = useMemo(
    () => (id: string) => {
      if (wanted.current.has(id)) return;
      wanted.current.add(id);
      queueMicrotask(() => setIds([...wanted.current].sort()));
    },
    [],
  );
  return [ids, ask];
}

async function loadNames(ids: readonly string[]): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (let from = 0; from < ids.length; from += MOST) {
    const { items } = await client.agents.list({ ids: ids.slice(from, from + MOST) });
    for (const { id, name } of items) names.set(id, name);
  }
  return names;
}
