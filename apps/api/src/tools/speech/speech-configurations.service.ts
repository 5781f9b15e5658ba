import { Injectable, Logger } from '@nestjs/common';
import type { SpeechToolConfiguration, UpdateSpeechToolRequest } from '@platform/contracts';
import type { SpeechConfig } from '@platform/speech';
import { recordAudit } from '../../auth/audit/audit.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { Database } from '../../infra/database/database.ts';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { SecretBox, type SecretContext } from '../../infra/crypto/secret-box.ts';
import { invalid, invalidFor } from '../../infra/errors/app-error.ts';
import { withoutNulls } from '../../infra/runtime/json.ts';
import { findConfiguration, lockConfiguration, storeConfiguration } from './tool-configurations.store.ts';

const TOOL = 'speech_recognition';
/** The fields that decide who receives the credentials. */
const TARGET = ['endpoint', 'protocol'] as const;

/** What is stored besides the secrets: the fields that differ from the defaults. */
type Stored = Omit<SpeechConfig, 'secretId' | 'secretKey'>;
type Credentials = Required<Pick<SpeechConfig, 'secretId' | 'secretKey'>>;

/** The configuration of speech recognition in each space. */
@Injectable()
export class SpeechConfigurationsService {
  private readonly logger = new Logger(SpeechConfigurationsService.name);

  constructor(
    private readonly database: Database,
    private readonly config: PlatformConfig,
    private readonly secrets: SecretBox,
  ) {}

  /** With its credentials: those of the space, otherwise those of the environment. */
  async load(spaceId: string): Promise<SpeechConfig> {
    const { stored, credentials } = await this.read(spaceId);
    return this.complete(stored, credentials);
  }

  /** What members may see. */
  async get(spaceId: string): Promise<SpeechToolConfiguration> {
    const { stored, credentials } = await this.read(spaceId);
    const config = this.complete(stored, credentials);
    const { completeConfig, listConfigProblems } = await import('@platform/speech');
    const {
      region,
      engineType,
      timeout,
      maxFileSize,
      maxDuration,
      defaultLanguage,
      endpoint,
      protocol,
      appId,
    } = completeConfig(config);
    const fromEnvironment = config.secretId !== undefined || config.secretKey !== undefined;
    return {
      region,
      engineType: engineType ?? null,
      timeout,
      maxFileSize,
      maxDuration,
      defaultLanguage,
      endpoint: endpoint ?? null,
      protocol,
      appId: appId ?? null,
      credentials: credentials !== null ? 'space' : fromEnvironment ? 'environment' : 'none',
      problems: listConfigProblems(config),
    };
  }

  /** Replaces the configuration. Secrets that are left out stay as they are; empty ones are removed. */
  async put(call: AuditedCall, request: UpdateSpeechToolRequest): Promise<SpeechToolConfiguration> {
    const { spaceId, userId } = call.by;
    const { secretId, secretKey, ...rest } = request;
    const stored = withoutNulls(rest);
    const { listConfigProblems } = await import('@platform/speech');
    // Problems of the credentials are reported, but an admin can fill them in one after the other.
    const wrong = listConfigProblems(stored).filter((problem) => !/^secret(Id|Key) /.test(problem));
    if (wrong.length > 0) throw invalidFor(wrong);
    await this.database.transaction(async (tx) => {
      const current = this.open(spaceId, await lockConfiguration(tx, spaceId, TOOL));
      const isMoved = TARGET.some((field) => stored[field] !== current.stored[field]);
      const known = secretId !== undefined && secretKey !== undefined;
      if (isMoved && !known && current.credentials !== null) {
        throw invalid('secretId and secretKey must be sent again with a new endpoint or protocol');
      }
      const next = {
        secretId: secretId ?? current.credentials?.secretId ?? '',
        secretKey: secretKey ?? current.credentials?.secretKey ?? '',
      };
      const isEmpty = next.secretId === '' && next.secretKey === '';
      const secret = isEmpty ? null : this.secrets.seal(placeOf(spaceId), JSON.stringify(next));
      await storeConfiguration(tx, {
        spaceId,
        toolName: TOOL,
        configuration: stored,
        secret,
        updatedBy: userId,
      });
      const fields = Object.keys(request);
      await recordAudit(tx, call.by, {
        action: 'tool.configure',
        targetType: 'tool',
        targetId: null,
        details: { name: TOOL, fields },
        requestId: call.requestId,
      });
    });
    return this.get(spaceId);
  }

  /**
   * The credentials of the environment are not sent to an endpoint that a space has chosen: its admins need not know them.
   */
  private complete(stored: Stored, credentials: Credentials | null): SpeechConfig {
    const { appId } = this.config.speech;
    const fallback = stored.endpoint === undefined ? this.fromEnvironment() : null;
    return { ...(appId !== null && { appId }), ...stored, ...(credentials ?? fallback) };
  }

  private fromEnvironment(): Partial<Credentials> | null {
    const { secretId, secretKey } = this.config.speech;
    return secretId === null && secretKey === null
      ? null
      : { ...(secretId !== null && { secretId }), ...(secretKey !== null && { secretKey }) };
  }

  private async read(spaceId: string) {
    return this.open(spaceId, await findConfiguration(this.database.manager, spaceId, TOOL));
  }

  private open(
    spaceId: string,
    row: { configuration: Record<string, unknown>; secret: string | null } | null,
  ): { stored: Stored; credentials: Credentials | null } {
    const stored: Stored = row?.configuration ?? {};
    if (!row?.secret) return { stored, credentials: null };
    try {
      const opened = this.secrets.open(placeOf(spaceId), row.secret);
      return { stored, credentials: JSON.parse(opened) as Credentials };
    } catch (err) {
      // Sealed with another key: as if they were empty, so that an admin can set them again.
      this.logger.warn({ err, spaceId }, 'The credentials of speech recognition cannot be read');
      return { stored, credentials: { secretId: '', secretKey: '' } };
    }
  }
}

function placeOf(spaceId: string): SecretContext {
  return { spaceId, recordId: TOOL, field: 'secret' };
}
