import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsOptional, IsString } from 'class-validator';
import { FreeForm, unknownFieldProblems } from '../../infra/requests/free-form.ts';
import { IsFilledText, isText } from '../../infra/requests/text.ts';
import { isObject } from '../../infra/runtime/json.ts';
import { MAX_METHODS } from './method-definition.ts';
import { ToolDto } from './tools.dto.ts';

const SCHEMA = { type: 'object', additionalProperties: true } as const;

class ChosenOfferDto {
  /**
   * The name that the server gives it.
   * @example get_forecast
   */
  tool!: string;
  /** That of the offer as the admin has seen it. If the server offers something else by now, nothing is imported (409). */
  hash!: string;
  /** The name of the method: 1 to 64 letters, digits, _ or -. Default: the suggested one; a method keeps the name that it has. */
  name?: string;
  /** Whether an edit of what the server has changed as well is kept. Default: false. Edits of anything else are always kept. */
  keepEdits?: boolean;
}

export class ImportToolDto {
  /** What is imported, or approved. Absent, with `remove` absent as well: a preview. At most 500. */
  @ApiPropertyOptional({ type: [ChosenOfferDto] })
  @FreeForm((value, path) => (value === undefined ? [] : checkChosen(value, path)))
  methods?: ChosenOfferDto[];

  /**
   * The names of methods to delete, at most 500.
   * @example ["get_forecast"]
   */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_METHODS)
  @IsString({ each: true })
  remove?: string[];

  /**
   * That of the tool as the caller knows it. Returns 409 if the tool has changed since. Default: not compared.
   * @example 2026-01-31T12:00:00.000Z
   */
  @IsOptional()
  @IsFilledText()
  updatedAt?: string;
}

function checkChosen(value: unknown, path: string): string[] {
  if (!Array.isArray(value) || value.length > MAX_METHODS)
    return [`${path} must be an array of at most ${MAX_METHODS} offers`];
  const seen = new Set<unknown>();
  return value.flatMap((item: unknown, i) => {
    const at = `${path}[${i}]`;
    if (!isObject(item)) return [`${at} must be an object`];
    const problems = unknownFieldProblems(item, ['tool', 'hash', 'name', 'keepEdits'], at);
    const { tool, hash, name = null, keepEdits = null } = item;
    if (!isText(tool)) problems.push(`${at}.tool must be the name of an offer`);
    if (!isText(hash)) problems.push(`${at}.hash must be that of the offer`);
    if (name !== null && !(typeof name === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(name)))
      problems.push(`${at}.name must be 1 to 64 letters, digits, _ or -`);
    if (keepEdits !== null && typeof keepEdits !== 'boolean')
      problems.push(`${at}.keepEdits must be a boolean`);
    if (seen.has(tool)) problems.push(`${at}.tool is given twice`);
    seen.add(tool);
    return problems;
  });
}

class McpServerDto {
  /** As the server calls itself. */
  name!: string | null;
  version!: string | null;
  /**
   * The revision of the protocol.
   * @example 2026-07-28
   */
  protocolVersion!: string | null;
}

class ToolOfferDto {
  /** The name that the server gives it. */
  tool!: string;
  /** The name of the method, or the one that it would get. */
  name!: string;
  /** `removed`: the server does not offer it anymore. */
  status!: 'new' | 'unchanged' | 'changed' | 'removed';
  /** What the server says, word for word. Empty for `removed`. */
  description!: string;
  /** Null for `removed`, and for what goes beyond 4 MB together. */
  @ApiProperty({ ...SCHEMA, nullable: true })
  inputSchema!: Record<string, unknown> | null;
  /** Whether it has side effects, as far as the server says. */
  acts!: boolean;
  /** Names what is offered, for its import. Null for `removed`. */
  hash!: string | null;
  /** Fields of the method that the server has changed since the last import. */
  changes!: string[];
  /** Fields of the method that were edited since the last import. */
  edits!: string[];
  /** What could not be taken as it is, one sentence each. */
  reasons!: string[];
}

export class ToolImportDto {
  server!: McpServerDto;
  /** First the methods of the tool, then what else the server offers; at most 10,000. */
  offers!: ToolOfferDto[];
  /** What was left out, one sentence each. */
  report!: string[];
  tool!: ToolDto;
}
