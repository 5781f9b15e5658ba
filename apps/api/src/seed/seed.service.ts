import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { OFFLINE_MODEL } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { AgentsService } from '../agents/agents.service.ts';
import { IdentityService } from '../auth/identity.service.ts';
import type { UserPrincipal } from '../auth/principal.ts';
import { PlatformConfig } from '../infra/config/platform-config.ts';
import { rows } from '../infra/database/rows.ts';
import { ModelsService } from '../models/models.service.ts';
import { banner, dropFirstStart, keepFirstStart, readFirstStart, type FirstStart } from './first-start.ts';

const SEED_LOCK = 720_003;
const DEFAULT_EMAIL = 'admin@platform.local';
const DEMO_AGENT = {
  name: 'Assistant',
  description: 'A first agent to try the platform with.',
  model: OFFLINE_MODEL,
  systemPrompt: 'You are a helpful assistant. Answer briefly and to the point.',
  tools: [{ toolId: 'current_time', methods: null }],
};

/** Makes what an empty database needs before anybody can sign in. */
@Injectable()
export class SeedService {
  private readonly file: string;

  constructor(
    private readonly database: DataSource,
    private readonly config: PlatformConfig,
    private readonly identity: IdentityService,
    private readonly models: ModelsService,
    private readonly agents: AgentsService,
  ) {
    this.file = join(config.dataDir, 'first-start.json');
  }

  /** Seeds where nothing is yet, and answers what the terminal is to show. */
  async run(): Promise<{ banner: () => string }> {
    const made = (await this.makeFirst()) ?? (await this.remembered());
    if (made) await this.followEnvironment(made);
    return { banner: () => banner(this.config.publicUrl, made) };
  }

  /** Null where somebody lives here already. */
  private async makeFirst(): Promise<FirstStart | null> {
    const email = this.config.adminEmail ?? DEFAULT_EMAIL;
    const password = this.config.adminPassword ?? randomBytes(12).toString('base64url');
    const made = await this.database.transaction(async (tx) => {
      // Several processes may start at once on an empty database.
      await rows(tx, 'select pg_advisory_xact_lock($1)', [SEED_LOCK]);
      if (await this.identity.anybody(tx)) return null;
      const user = await this.identity.createUser(tx, {
        email,
        name: 'Admin',
        password,
        installationAdmin: true,
      });
      const space = await this.identity.createSpace(tx, 'My space', user.id);
      const owner = { spaceId: space.id, userId: user.id };
      const key = this.demo ? await this.identity.mintApiKey(tx, { ...owner, name: 'First key' }) : null;
      return { ...owner, email, password, apiKey: key?.key ?? null, agentId: null };
    });
    if (made === null) return null;
    const agent = this.demo ? await this.agents.create(asAdmin(made), DEMO_AGENT) : null;
    const first = { ...made, agentId: agent?.id ?? null };
    await keepFirstStart(this.file, first);
    return first;
  }

  /** The first password is shown for as long as it is the password. */
  private async remembered(): Promise<FirstStart | null> {
    const made = await readFirstStart(this.file);
    if (made === null || (await this.identity.hasPassword(made.email, made.password))) return made;
    await dropFirstStart(this.file);
    return null;
  }

  /** The model server of the environment joins the catalogue, and the first agent uses it until somebody edits that. */
  private async followEnvironment(made: FirstStart): Promise<void> {
    const { openai } = this.config;
    if (openai === null) return;
    await this.database.transaction((tx) => this.models.ensureModelFromEnvironment(tx, made.spaceId));
    if (made.agentId === null) return;
    const caller = asAdmin(made);
    const agent = await this.agents.get(caller, made.agentId).catch(() => null);
    if (agent && 'model' in agent && agent.version === 1 && agent.model === OFFLINE_MODEL) {
      await this.agents.update({ by: caller, requestId: 'first-start' }, made.agentId, {
        model: openai.model,
      });
    }
  }

  private get demo(): boolean {
    return this.config.seed === 'demo';
  }
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
