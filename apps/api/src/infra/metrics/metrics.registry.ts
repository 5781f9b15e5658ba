import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Registry, type Metric } from 'prom-client';
import { PlatformConfig } from '../config/platform-config.ts';
import { BackgroundDatabase, Database } from '../database/database.ts';
import { poolOf, rows } from '../database/rows.ts';
import { ReadinessRegistry } from '../health/readiness.registry.ts';
import { Messaging } from '../messaging/messaging.ts';
import { withTimeout } from '../messaging/with-timeout.ts';
import * as measures from './measures.ts';

/** So many of what waits are counted: a queue of millions would be read as a whole. */
const MOST_COUNTED = 10_000;
/** What cannot be counted in time is absent. */
const COUNT_MS = 2_000;

const POOL_GAUGES = [
  ['platform_database_connections', 'Open connections', 'totalCount'],
  ['platform_database_connections_idle', 'Open connections that nobody uses', 'idleCount'],
  ['platform_database_callers_waiting', 'Callers who wait for a connection', 'waitingCount'],
] as const;

/** Numbers by the value of a label. */
type Numbers = Record<string, number>;

/** The metrics of the process, in the format of Prometheus. Modules register what they execute, and what waits for them. */
@Injectable()
export class MetricsRegistry {
  private readonly registry = new Registry();
  private readonly underWay = new Map<string, () => number>();
  private readonly queues = new Map<string, string>();
  private rendering: Promise<string> | null = null;

  constructor(
    config: PlatformConfig,
    private readonly database: Database,
    private readonly background: BackgroundDatabase,
    private readonly messaging: Messaging,
    private readonly readiness: ReadinessRegistry,
  ) {
    if (config.metricsToken === null) return;
    collectDefaultMetrics({ register: this.registry });
    for (const measure of Object.values<Metric>(measures)) this.registry.registerMetric(measure);
    this.describe();
  }

  /** The media type of what `render` returns. */
  get contentType(): string {
    return this.registry.contentType;
  }

  /** Registers how much of a kind of work this process executes. */
  running(work: string, count: () => number): void {
    this.underWay.set(work, count);
  }

  /** Registers what waits for workers, in whichever process: a query with a row for each that could begin. */
  waiting(work: string, query: string): void {
    this.queues.set(work, query);
  }

  /** What is asked for at the same time is read once. */
  render(): Promise<string> {
    this.rendering ??= this.registry.metrics().finally(() => (this.rendering = null));
    return this.rendering;
  }

  private describe(): void {
    this.gauge(
      'platform_up',
      'Whether each part can be used; the service works without messaging',
      'part',
      () => ({
        service: Number(this.readiness.ready),
        messaging: Number(this.messaging.getState() !== 'down'),
      }),
    );
    this.gauge('platform_work_running', 'What this process executes', 'work', () =>
      Object.fromEntries([...this.underWay].map(([work, count]) => [work, count()])),
    );
    // First, because what waits is counted with a connection.
    const pools = Object.entries({ api: poolOf(this.database), background: poolOf(this.background) });
    for (const [name, help, key] of POOL_GAUGES)
      this.gauge(name, help, 'pool', () =>
        Object.fromEntries(pools.map(([label, pool]) => [label, pool[key]])),
      );
    this.gauge(
      'platform_work_waiting',
      `What could begin and has not, in the installation: the same in each process, up to ${MOST_COUNTED}`,
      'work',
      () => withTimeout(COUNT_MS, this.countWaiting()),
    );
  }

  private gauge(name: string, help: string, label: string, read: () => Numbers | Promise<Numbers>): void {
    const gauge = new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect: async () => {
        gauge.reset();
        const numbers: Numbers = await Promise.resolve(read()).catch(() => ({}));
        for (const [value, number] of Object.entries(numbers)) gauge.set({ [label]: value }, number);
      },
    });
  }

  private async countWaiting(): Promise<Numbers> {
    const queries = [...this.queues.values()].map(
      (query, i) => `select ${i} as i, count(*)::int as count from (${query} limit ${MOST_COUNTED}) q`,
    );
    const counted = await rows<{ i: number; count: number }>(this.background, queries.join(' union all '));
    const counts = new Map(counted.map(({ i, count }) => [i, count]));
    return Object.fromEntries([...this.queues.keys()].map((work, i) => [work, counts.get(i) ?? 0]));
  }
}
