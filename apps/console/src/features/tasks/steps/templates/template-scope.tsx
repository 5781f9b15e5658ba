import type { Run, TaskType } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { useMaybeSession } from '../../../auth/session.ts';
import { catalogQuery, findEvent, parseEventKey } from '../../../events/catalog/catalog-query.ts';
import { subscribedEventsQuery } from './subscribed-events.ts';
import { TemplatePaths, type ListPaths } from './template-context.ts';
import { listTemplatePaths } from './template-paths.ts';

interface TemplateScopeProps {
  /** Undefined for a task that is not stored. */
  taskId: string | undefined;
  type: TaskType;
  /** The last test of the task. */
  tested: Run | undefined;
  children: ReactNode;
}

/** What templates inside can refer to. Only admins see what starts a task. */
export function TemplateScope({ taskId = '', type, tested, children }: TemplateScopeProps) {
  const isAdmin = useMaybeSession().data?.space.role === 'ADMIN';
  const enabled = isAdmin && taskId !== '' && type === 'EVENT';
  const subscribed = useQuery({ ...subscribedEventsQuery(taskId), enabled });
  const catalog = useQuery({ ...catalogQuery, enabled });
  const listPaths = useMemo<ListPaths>(() => {
    const schemas = (subscribed.data ?? [])
      .map((key) => findEvent(catalog.data, parseEventKey(key))?.payloadSchema)
      .filter((schema) => schema !== undefined);
    const outputs = new Map((tested?.steps ?? []).map(({ id, output }) => [id, output]));
    return (steps, place) => listTemplatePaths({ type, schemas, outputs }, steps, place);
  }, [type, subscribed.data, catalog.data, tested]);
  return <TemplatePaths value={listPaths}>{children}</TemplatePaths>;
}
