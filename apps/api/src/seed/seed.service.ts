import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { KEY_SCOPES, OFFLINE_MODEL } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { AgentsService } from '../agents/agents.service.ts';
import { IdentityService } from '../auth/people/identity.service.ts';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { Database } from '../infra/database/database.ts';
import { PlatformConfig } from '../infra/config/platform-config.ts';
import { rows } from '../infra/database/rows.ts';
import { whileUnavailable } from '../infra/database/unavailable.ts';
import { failpoint } from '../infra/runtime/failpoints.ts';
import { ModelsService } from '../models/catalog/models.service.ts';
import { SampleApplicationsService } from './sample-applications.service.ts';
import { banner, dropFirstStart, keepFirstStart, readFirstStart, type FirstStart } from './first-start.ts';

const SEED_LOCK = 720_003;
/** How long a start waits for other processes that are starting. */
const PATIENCE_MS = 30_000;
const DEFAULT_EMAIL = 'admin@platform.local';
const DEMO_AGENT = {
  name: 'Assistant',
  description: 'A first agent to try the platform with.',
  model: OFFLINE_MODEL,
  systemPrompt: 'You are a helpful assistant. Answer briefly and to the point.',
  tools: [{ toolId: 'current_time', methods: null }],
};

/** Creates what an empty database needs before someone can sign in. */
@Injectable()
export class SeedService {
  private readonly file: string;

  constructor(
    private readonly database: Database,
    private readonly config: PlatformConfig,
    private readonly identity: IdentityService,
    private readonly models: ModelsService,
    private readonly agents: AgentsService,
    private readonly samples: SampleApplicationsService,
  ) {
    this.file = join(config.dataDir, 'first-start.json');
  }

  /**
   * Seeds an empty database. Returns what the terminal should show: `testModel` asks the model of the environment, and returns null
   * unless this start has added or changed it.
   */
  async run(): Promise<{ banner: () => string; testModel: () => Promise<string | null> }> {
    // The next attempt detects a lost response to COMMIT, as the next start detects a crash.
    const first =
      (await whileUnavailable(() => this.makeFirst(), undefined, PATIENCE_MS)) ?? this.remembered();
    const withAgent = await this.withAgent(await first);
    const made = await whileUnavailable(() => this.withSamples(withAgent), undefined, PATIENCE_MS);
    const changedIn = await this.followEnvironment(made);
    const model = await this.firstModel(made);
    return {
      banner: () => banner(this.config.publicUrl, made, model),
      testModel: () => (changedIn === null ? Promise.resolve(null) : this.testModel(changedIn)),
    };
  }

  /**
   * Returns null if users exist. The password is on the disk before the account exists, so that after a crash in
   * between, the next start continues and nobody is locked out.
   */
  private async makeFirst(): Promise<FirstStart | null> {
    const email = this.config.adminEmail ?? DEFAULT_EMAIL;
    const made = await this.database.transaction(async (tx) => {
      await lockSeed(tx);
      if (await this.identity.hasUsers(tx)) return null;
      const tried = await readFirstStart(this.file);
      const own = this.config.adminPassword;
      const password = own ?? tried?.password ?? randomBytes(12).toString('base64url');
      const user = await this.identity.createUser(tx, {
        email,
        name: 'Admin',
        password,
        installationAdmin: true,
      });
      const space = await this.identity.createSpace(tx, 'My space', user.id);
      const owner = { spaceId: space.id, userId: user.id };
      const key = this.demo
        ? await this.identity.createApiKey(tx, { ...owner, name: 'First key', scopes: KEY_SCOPES })
        : null;
      const first: FirstStart = {
        ...owner,
        email,
        password: own === null ? password : null,
        apiKey: key?.key ?? null,
        agentId: null,
        systemKeys: this.demo ? null : {},
      };
      await keepFirstStart(this.file, first);
      failpoint('seed.kept');
      return first;
    });
    if (made) failpoint('seed.committed');
    return made;
  }

  /** The first password is shown until it is changed. */
  private async remembered(): Promise<FirstStart | null> {
    const made = await readFirstStart(this.file);
    if (made === null) return null;
    const password = made.password ?? this.config.adminPassword;
    if (password !== null && (await this.identity.hasPassword(made.email, password)))
      return this.withoutGivenPassword(made);
    await dropFirstStart(this.file);
    return null;
  }

  /** A password from the environment is not stored anywhere else. */
  private async withoutGivenPassword(made: FirstStart): Promise<FirstStart> {
    if (made.password === null || made.password !== this.config.adminPassword) return made;
    const kept = { ...made, password: null };
    await keepFirstStart(this.file, kept);
    return kept;
  }

  /** Creates the first agent, also if an earlier start ended before that. */
  private async withAgent(made: FirstStart | null): Promise<FirstStart | null> {
    if (!this.demo || made === null || made.agentId !== null) return made;
    return this.database.transaction(async (tx) => {
      await lockSeed(tx);
      const kept = await readFirstStart(this.file);
      if (kept?.agentId) return kept;
      const { id } = await this.agents.create(asAdmin(made), DEMO_AGENT);
      const whole = { ...made, agentId: id };
      await keepFirstStart(this.file, whole);
      return whole;
    });
  }

  /** Installs the sample applications, also if an earlier start ended before it did. */
  private async withSamples(made: FirstStart | null): Promise<FirstStart | null> {
    if (!this.demo || made === null || made.systemKeys !== null) return made;
    return this.database.transaction(async (tx) => {
      await lockSeed(tx);
      const kept = await readFirstStart(this.file);
      if (kept?.systemKeys) return kept;
      const call = { by: asAdmin(made), requestId: 'first-start' };
      const whole = { ...made, systemKeys: await this.samples.install(call) };
      failpoint('seed.samples');
      await keepFirstStart(this.file, whole);
      return whole;
    });
  }

  /**
   * Adds the model of the environment to the catalog of the first space, with its current address and key. The first agent
   * uses it until someone edits the agent. Returns the space if the model was added or changed there.
   */
  private async followEnvironment(made: FirstStart | null): Promise<string | null> {
    const { openai } = this.config;
    const spaceId = openai && (made?.spaceId ?? (await this.identity.findFirstSpaceId()));
    if (openai === null || spaceId === null) return null;
    const isNew = await this.database.transaction((tx) =>
      this.models.ensureModelFromEnvironment(tx, spaceId),
    );
    const changedIn = isNew ? spaceId : null;
    if (made === null || made.agentId === null) return changedIn;
    const caller = asAdmin(made);
    const agent = await this.agents.get(caller, made.agentId).catch(() => null);
    if (agent && 'model' in agent && agent.version === 1 && agent.model === OFFLINE_MODEL) {
      await this.agents.update({ by: caller, requestId: 'first-start' }, made.agentId, {
        model: openai.model,
      });
    }
    return changedIn;
  }

  private async testModel(spaceId: string): Promise<string | null> {
    const { openai } = this.config;
    const result = await this.models.testOfEnvironment(spaceId);
    if (openai === null || result === null) return null;
    const { ok, latencyMs, message } = result;
    return ok
      ? `  The model ${openai.model} works: it answered after ${latencyMs} ms.\n`
      : `  The model ${openai.model} does not work: ${message}\n`;
  }

  /** Describes the model of the first agent; null if the agent is not known or was deleted. */
  private async firstModel(made: FirstStart | null): Promise<string | null> {
    if (made === null || made.agentId === null) return null;
    const agent = await this.agents.get(asAdmin(made), made.agentId).catch(() => null);
    if (agent === null || !('model' in agent)) return null;
    const { model, modelStatus } = agent;
    const { openai } = this.config;
    if (model === OFFLINE_MODEL) return `${model}, built in (set OPENAI_API_KEY to use another one)`;
    if (modelStatus === 'unknown') return `${model}, which is not in the catalog: add it in the console`;
    return model === openai?.model ? `${model} at ${openai.baseUrl}` : model;
  }

  private get demo(): boolean {
    return this.config.seed === 'demo';
  }
}

/** Several processes can start at the same time on an empty database. */
async function lockSeed(tx: EntityManager): Promise<void> {
  await rows(tx, 'select pg_advisory_xact_lock($1)', [SEED_LOCK]);
}

function asAdmin({ userId, spaceId }: FirstStart): UserPrincipal {
  return {
    kind: 'user',
    userId,
    spaceId,
    role: 'ADMIN',
    credential: { kind: 'internal', id: userId },
    causationRunId: null,
  };
}
