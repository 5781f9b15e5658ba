import { Injectable, Logger } from '@nestjs/common';
import { NOTIFICATION_EVENTS, NOTIFICATION_SEVERITIES, type NotificationEvent } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { readTime } from '../../infra/database/rows.ts';
import type { Fact } from '../../infra/facts/facts.service.ts';
import { listListening } from '../channels/channels.store.ts';
import type { NotificationChannelEntity } from '../channels/notification-channel.entity.ts';
import { endOfQuiet } from '../channels/quiet-hours.ts';
import { PlatformEventsService } from './platform-events.service.ts';
import { addToOpen, insertNotification } from '../deliveries/deliveries.store.ts';
import { PLATFORM_EVENTS } from '../messages/platform-events.ts';

type PlatformFact = Fact & { name: NotificationEvent };

/** Stores what the channels of spaces are told, and records it as events if the space has the application `platform`. */
@Injectable()
export class TellingService {
  private readonly logger = new Logger(TellingService.name);

  constructor(private readonly events: PlatformEventsService) {}

  /** Stores deliveries of facts that were not told before. Returns the envelopes to publish after the commit. */
  async tell(tx: EntityManager, facts: readonly Fact[]): Promise<string[]> {
    const known = facts.filter((fact): fact is PlatformFact => this.isKnown(fact));
    const spaceIds = [...new Set(known.map(({ spaceId }) => spaceId))];
    const listening = await listListening(tx, spaceIds);
    const installed = await this.events.findInstalled(tx, spaceIds);
    const published: string[] = [];
    const told = new Map<NotificationChannelEntity, string[]>();
    for (const fact of known) {
      const channels = listening.filter((channel) => isTold(channel, fact));
      const applicationId = installed.get(fact.spaceId);
      if (channels.length === 0 && applicationId === undefined) continue;
      const { spaceId, name: event, key, payload } = fact;
      const { severity } = PLATFORM_EVENTS[event];
      const id = await insertNotification(tx, { spaceId, event, key, severity, payload });
      if (id === null) continue;
      if (applicationId !== undefined) published.push(...(await this.events.emit(tx, applicationId, fact)));
      for (const channel of channels) told.set(channel, [...(told.get(channel) ?? []), id]);
    }
    const now = await readTime(tx);
    // In the order of the ids, so that two transactions wait for each other in one direction only.
    for (const [channel, ids] of [...told].toSorted(([a], [b]) => (a.id < b.id ? -1 : 1)))
      await addToOpen(tx, channel, ids, dueAtOf(channel, now));
    return published;
  }

  /** Publishes hints after the commit. */
  publish(envelopeIds: readonly string[]): Promise<void> {
    return this.events.publish(envelopeIds);
  }

  private isKnown({ name }: Fact): boolean {
    const isKnown = NOTIFICATION_EVENTS.some((event) => event === name);
    // Another version has recorded it.
    if (!isKnown) this.logger.warn({ name }, 'Nobody can be told this');
    return isKnown;
  }
}

function isTold({ spaceId, events, minSeverity }: NotificationChannelEntity, fact: PlatformFact): boolean {
  const severity = NOTIFICATION_SEVERITIES.indexOf(PLATFORM_EVENTS[fact.name].severity);
  return (
    spaceId === fact.spaceId &&
    events.includes(fact.name) &&
    severity >= NOTIFICATION_SEVERITIES.indexOf(minSeverity)
  );
}

/** When a delivery that is opened now is sent. */
function dueAtOf({ digestMinutes, lastSentAt, quietHours }: NotificationChannelEntity, now: Date): Date {
  const next = (lastSentAt?.getTime() ?? 0) + digestMinutes * 60_000;
  return endOfQuiet(quietHours, new Date(Math.max(now.getTime(), next)));
}
