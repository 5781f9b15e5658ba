import { isObject } from '../../infra/runtime/json.ts';
import { bareType, isBinaryType } from './media-types.ts';

/** Begins the name of an attachment in an input. */
export const ATTACHMENT = 'attachment:';

/** The bytes of a file in a body. */
export class FileContent {
  constructor(
    readonly data: Buffer,
    /** Null if it is not known. */
    readonly mediaType: string | null,
  ) {}
}

export type ReadAttachment = (id: string) => Promise<{ mime: string; data: Buffer } | null>;

/** Where files may be in a body. */
export interface FileBody {
  bodyMediaType: string | null;
  inputSchema: Record<string, unknown>;
  bindings: readonly { port: string; in: string; name?: string }[];
}

export interface InputWithFiles {
  /** The input, with a `FileContent` in place of each file. */
  values: Record<string, unknown>;
  problems: string[];
  /** Whether attachments were read, which are not part of the input. */
  hasAttachments: boolean;
}

/** Reads the files of an input: ports of binary strings, given in base64 or as `attachment:<id>`. */
export async function readFiles(
  { bodyMediaType, inputSchema, bindings }: FileBody,
  input: Record<string, unknown>,
  readAttachment: ReadAttachment | undefined,
): Promise<InputWithFiles> {
  const reader = new FileReader(readAttachment);
  const properties = isObject(inputSchema.properties) ? inputSchema.properties : {};
  const type = bareType(bodyMediaType ?? '');
  const isForm = type === 'multipart/form-data';
  const values = { ...input };
  for (const { port, in: location, name } of bindings) {
    if (location !== 'body' || !Object.hasOwn(input, port)) continue;
    const schema = Object.hasOwn(properties, port) ? properties[port] : {};
    const place = `input.${port}`;
    if (!isForm && name === undefined && (isBinary(schema) || isBinaryType(type)))
      define(values, port, await reader.read(input[port], place));
    if (isForm) define(values, port, await reader.readIn(input[port], schema, place, name === undefined));
  }
  return { values, problems: reader.problems, hasAttachments: reader.hasAttachments };
}

class FileReader {
  readonly problems: string[] = [];
  hasAttachments = false;

  constructor(private readonly readAttachment: ReadAttachment | undefined) {}

  /** The files of a field of a form: a file, a list of files, or if the form is one port, an object with files. */
  async readIn(value: unknown, declared: unknown, place: string, isWhole: boolean): Promise<unknown> {
    const schema = withoutNull(declared);
    if (isBinary(schema)) return this.read(value, place);
    if (!isObject(schema)) return value;
    if (Array.isArray(value) && isBinary(schema.items)) {
      const files: unknown[] = [];
      for (const [i, item] of value.entries()) files.push(await this.read(item, `${place}[${i}]`));
      return files;
    }
    if (!isWhole || !isObject(value)) return value;
    const { properties, additionalProperties } = schema;
    const copy = { ...value };
    for (const [name, field] of Object.entries(value)) {
      const isDeclared = isObject(properties) && Object.hasOwn(properties, name);
      const own = isDeclared ? properties[name] : additionalProperties;
      define(copy, name, await this.readIn(field, own, `${place}.${name}`, false));
    }
    return copy;
  }

  async read(value: unknown, place: string): Promise<unknown> {
    if (value === null || value === undefined) return value;
    if (typeof value !== 'string') return this.report(`${place} must be base64 or attachment:<id>`);
    if (value.startsWith(ATTACHMENT)) return this.attachment(value.slice(ATTACHMENT.length), place);
    const [, mediaType = null, text = value] =
      /^data:([^;,]{0,200})[^,]{0,200};base64,([^]*)$/.exec(value) ?? [];
    const data = decodeBase64(text);
    return data === null
      ? this.report(`${place} must be base64 or attachment:<id>`)
      : new FileContent(data, mediaType === '' ? null : mediaType);
  }

  private async attachment(id: string, place: string): Promise<unknown> {
    this.hasAttachments = true;
    const found = (await this.readAttachment?.(id)) ?? null;
    return found === null
      ? this.report(`${place} names an attachment that does not exist in this session`)
      : new FileContent(found.data, found.mime);
  }

  private report(problem: string): null {
    this.problems.push(problem);
    return null;
  }
}

/** Whether a schema is that of a file: `format: binary`, or since OpenAPI 3.1 a media type without an encoding. */
function isBinary(declared: unknown): boolean {
  const schema = withoutNull(declared);
  if (!isObject(schema)) return false;
  if (schema.format === 'binary') return true;
  return (
    typeof schema.contentMediaType === 'string' &&
    schema.contentEncoding === undefined &&
    isBinaryType(bareType(schema.contentMediaType))
  );
}

/** What a value is unless it is null: the only other choice. FastAPI declares whatever can be left out in this way. */
function withoutNull(schema: unknown): unknown {
  const choices = isObject(schema) ? (schema.anyOf ?? schema.oneOf) : undefined;
  if (!Array.isArray(choices)) return schema;
  const others = choices.filter((choice) => !(isObject(choice) && choice.type === 'null'));
  return others.length === 1 ? others[0] : schema;
}

/** Returns null if the text is not base64, in either alphabet. */
function decodeBase64(text: string): Buffer | null {
  const digits = text.replace(/\s/g, '');
  const length = digits.replace(/={1,2}$/, '').length;
  return /^[\w+/-]*={0,2}$/.test(digits) && length % 4 !== 1 ? Buffer.from(digits, 'base64') : null;
}

/** Sets an own property, also one named `__proto__`. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
