import {
  IsIn,
  IsInt,
  IsNotEmpty,
  IsNumber,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
  MinLength,
  validateSync,
  type ValidationArguments,
} from 'class-validator';

/** What an admin or the environment configures. */
export interface SpeechConfig {
  secretId?: string;
  secretKey?: string;
  appId?: string;
  /** Default ap-guangzhou. */
  region?: string;
  /** Applies to the default language. Default: that of the language, such as 16k_zh for zh-CN. */
  engineType?: string;
  /** Milliseconds, 5,000 to 300,000. Default 60,000. */
  timeout?: number;
  /** Bytes. Default 5,242,880. */
  maxFileSize?: number;
  /** Seconds. Default 60. */
  maxDuration?: number;
  /** Default zh-CN. */
  defaultLanguage?: string;
  /** The host of a private deployment. Default: that of the provider. */
  endpoint?: string;
  /** Default https. */
  protocol?: 'http' | 'https';
}

const SECRET_ID = remedy('secretId must begin with AKID', 'CLOUD_SECRET_ID');
const SECRET_KEY = remedy('secretKey must have at least 20 characters', 'CLOUD_SECRET_KEY');

/** Whoever runs the service has not chosen an endpoint of their own to receive the credentials of the environment. */
function remedy(problem: string, variable: string) {
  return ({ object }: ValidationArguments) => {
    const { endpoint } = object as CompleteSpeechConfig;
    return endpoint === undefined
      ? `${problem}: set ${variable}, or configure it on the page of the tool`
      : `${problem}: configure it on the page of the tool, because ${variable} is not sent to the endpoint ${endpoint}`;
  };
}

/** A configuration with all defaults. */
export class CompleteSpeechConfig {
  @IsString({ message: SECRET_ID })
  @Matches(/^AKID/, { message: SECRET_ID })
  secretId!: string;

  @IsString({ message: SECRET_KEY })
  @MinLength(20, { message: SECRET_KEY })
  secretKey!: string;

  @IsOptional()
  @IsString({ message: 'appId must be a string' })
  appId?: string;

  @IsString({ message: 'region must be a string' })
  @IsNotEmpty({ message: 'region must not be empty' })
  region = 'ap-guangzhou';

  @IsOptional()
  @IsString({ message: 'engineType must be a string' })
  engineType?: string;

  @IsInt({ message: 'timeout must be an integer, in milliseconds' })
  @Min(5_000, { message: 'timeout must be at least 5000 ms' })
  @Max(300_000, { message: 'timeout must be at most 300000 ms' })
  timeout = 60_000;

  @IsInt({ message: 'maxFileSize must be an integer, in bytes' })
  @Min(1, { message: 'maxFileSize must be at least 1 byte' })
  @Max(5_242_880, { message: 'maxFileSize must be at most 5242880 bytes, the limit of the tool' })
  maxFileSize = 5_242_880;

  @IsNumber({}, { message: 'maxDuration must be a number, in seconds' })
  @Min(1, { message: 'maxDuration must be at least 1 second' })
  @Max(60, { message: 'maxDuration must be at most 60 seconds, the limit of the tool' })
  maxDuration = 60;

  @IsString({ message: 'defaultLanguage must be a string' })
  @IsNotEmpty({ message: 'defaultLanguage must not be empty' })
  defaultLanguage = 'zh-CN';

  @IsOptional()
  @Matches(/^[A-Za-z0-9.-]+(:\d{1,5})?$/, { message: 'endpoint must be a host, such as asr.example.com' })
  endpoint?: string;

  @IsIn(['http', 'https'], { message: 'protocol must be http or https' })
  protocol: 'http' | 'https' = 'https';
}

/** Completes a configuration with the defaults. Empty values count as absent. */
export function completeConfig(config: SpeechConfig): CompleteSpeechConfig {
  const given = Object.entries(config).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  return Object.assign(new CompleteSpeechConfig(), Object.fromEntries(given));
}

/** One sentence per problem, without values: they may be secrets. */
export function listConfigProblems(config: SpeechConfig): string[] {
  const errors = validateSync(completeConfig(config), { stopAtFirstError: true });
  return errors.flatMap(({ constraints }) => Object.values(constraints ?? {}));
}

/** Whether a problem concerns the credentials. */
export function isCredentialProblem(problem: string): boolean {
  return problem.startsWith('secretId') || problem.startsWith('secretKey');
}

/** The configuration in the environment of the process. */
export function readSpeechEnvironment(env: Record<string, string | undefined>): SpeechConfig {
  const { CLOUD_SECRET_ID: secretId, CLOUD_SECRET_KEY: secretKey, CLOUD_APP_ID: appId } = env;
  return { ...(secretId && { secretId }), ...(secretKey && { secretKey }), ...(appId && { appId }) };
}
