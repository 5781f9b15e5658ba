import type { Application, ApplicationDetail } from '@platform/contracts';
import { systemKeyPrefix } from '../auth/applications/application-identities.service.ts';
import type { ApplicationManifestEntity } from './application-manifest.entity.ts';

/** An installation without its manifest. */
export type InstallationSummary = Omit<ApplicationManifestEntity, 'manifest' | 'manifestHash'>;

/** What auth/ knows of an application. */
export interface ApplicationState {
  identifier: string;
  installed: boolean;
  uninstalledAt: Date | null;
  keyPublicId: string | null;
  keyLastUsedAt: Date | null;
}

export function toApplication(installation: InstallationSummary, state: ApplicationState): Application {
  const { name, version, eventCount, tableCount, taskCount, installedAt, updatedAt } = installation;
  return {
    identifier: state.identifier,
    name,
    version,
    installed: state.installed,
    eventCount,
    tableCount,
    taskCount,
    systemKeyPrefix: state.keyPublicId === null ? null : systemKeyPrefix(state.keyPublicId),
    systemKeyLastUsedAt: state.keyLastUsedAt?.toISOString() ?? null,
    installedAt: installedAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    uninstalledAt: state.uninstalledAt?.toISOString() ?? null,
  };
}

export function toApplicationDetail(
  installation: ApplicationManifestEntity,
  state: ApplicationState,
): ApplicationDetail {
  return { ...toApplication(installation, state), manifest: installation.manifest };
}
