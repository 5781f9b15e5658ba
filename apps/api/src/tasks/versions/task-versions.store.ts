import { LessThan, type EntityManager } from 'typeorm';
import { notFound } from '../../infra/errors/app-error.ts';
import { TaskVersionEntity } from './task-version.entity.ts';

/** The versions of a task below a number, newest first, without their workflows. */
export function listVersions(
  tx: EntityManager,
  taskId: string,
  below: number | null,
  limit: number,
): Promise<Omit<TaskVersionEntity, 'workflow'>[]> {
  return tx.find(TaskVersionEntity, {
    select: { taskId: true, version: true, createdAt: true, createdBy: true },
    where: { taskId, ...(below !== null && { version: LessThan(below) }) },
    order: { version: 'DESC' },
    take: limit,
  });
}

/** Throws NOT_FOUND, also if `version` is not a number. */
export async function getVersion(
  tx: EntityManager,
  taskId: string,
  version: string | number,
): Promise<TaskVersionEntity> {
  const found = /^[1-9]\d{0,8}$/.test(String(version))
    ? await tx.findOneBy(TaskVersionEntity, { taskId, version: Number(version) })
    : null;
  if (found === null) throw notFound(`Task ${taskId} has no version ${version}`);
  return found;
}
