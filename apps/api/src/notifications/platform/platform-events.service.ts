import { Injectable, Logger } from '@nestjs/common';
import { NOTIFICATION_EVENTS, type NotificationEvent, type PlatformEvents } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { ApplicationsService } from '../../applications/applications.service.ts';
import { ApplicationIdentitiesService } from '../../auth/applications/application-identities.service.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { EmissionService } from '../../events/emission/emission.service.ts';
import { Database } from '../../infra/database/database.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import type { Fact } from '../../infra/facts/facts.service.ts';
import { hashJson } from '../../infra/runtime/json.ts';
import { PLATFORM_EVENTS } from '../messages/platform-events.ts';

const IDENTIFIER = 'platform';

const CONTENT = {
  identifier: IDENTIFIER,
  name: 'Platform',
  events: NOTIFICATION_EVENTS.map((name) => {
    const { description, payloadSchema } = PLATFORM_EVENTS[name];
    return { name, description, payloadSchema };
  }),
};

/** Its version follows from its content, so that no change of an event is forgotten. */
const MANIFEST = { ...CONTENT, version: `1.0.0+${hashJson(CONTENT).toString('hex').slice(0, 12)}` };

/** The platform as an application of a space: what channels are told are its events. */
@Injectable()
export class PlatformEventsService {
  private readonly logger = new Logger(PlatformEventsService.name);

  constructor(
    private readonly database: Database,
    private readonly applications: ApplicationsService,
    private readonly identities: ApplicationIdentitiesService,
    private readonly emission: EmissionService,
  ) {}

  async get(spaceId: string): Promise<PlatformEvents> {
    const application = await this.identities.find(this.database, spaceId, IDENTIFIER);
    return {
      enabled: application?.installed ?? false,
      events: NOTIFICATION_EVENTS.map((name) => {
        const { severity, description, payloadSchema } = PLATFORM_EVENTS[name];
        return { name, severity, description, payloadSchema };
      }),
    };
  }

  /** Repeating it changes nothing, unless the service was updated since. */
  async update(call: AuditedCall, enabled: boolean): Promise<PlatformEvents> {
    const { spaceId } = call.by;
    const current = await this.get(spaceId);
    if (enabled && current.enabled) await this.applications.replaceManifest(call, MANIFEST);
    if (enabled && !current.enabled) await this.applications.installBuiltIn(call, MANIFEST);
    if (!enabled && current.enabled) await this.applications.uninstall(call, IDENTIFIER);
    return { ...current, enabled };
  }

  /**
   * Returns the id of the application in each of the spaces that has it installed. There, it declares the events of this process
   * until the transaction ends.
   */
  async findInstalled(tx: EntityManager, spaceIds: readonly string[]): Promise<Map<string, string>> {
    const installed = new Map<string, string>();
    // In the order of the ids, so that two transactions wait for each other in one direction only.
    for (const spaceId of spaceIds.toSorted()) {
      const id = await this.upgrade(tx, spaceId);
      if (id !== null) installed.set(spaceId, id);
    }
    return installed;
  }

  /** Has the application of a space declare the events of this process. Returns its id; null if it is not installed. */
  upgrade(tx: EntityManager, spaceId: string): Promise<string | null> {
    return this.applications.upgradeBuiltIn(tx, spaceId, MANIFEST);
  }

  /** Lists the spaces after one of them that have it installed, in the order of their ids. */
  listSpaces(afterSpaceId: string | null, limit: number): Promise<string[]> {
    return this.identities.listSpaces(this.database, IDENTIFIER, afterSpaceId, limit);
  }

  /** Records an event in the transaction that stores what is told. Returns the ids of envelopes to publish. */
  async emit(
    tx: EntityManager,
    applicationId: string,
    { spaceId, name, payload, causationRunId }: Fact & { name: NotificationEvent },
  ): Promise<string[]> {
    try {
      const event = { spaceId, applicationId, event: name, payload, causationRunId };
      return await this.emission.emitWithin(tx, [{ ...event, actorUserId: null, source: 'system' }]);
    } catch (error) {
      // The application was uninstalled in the meantime.
      if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error;
      this.logger.warn({ spaceId, name }, 'An event of the platform is not registered');
      return [];
    }
  }

  /** Publishes hints after the commit. Never rejects. */
  publish(envelopeIds: readonly string[]): Promise<void> {
    return this.emission.publish(envelopeIds);
  }
}
