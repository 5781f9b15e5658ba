import { isObject, getOwn, getText, setOwn, type JsonObject } from './json.ts';
import { readRequestBody, readResponseBody, type Body } from './bodies.ts';
import { fitSchemas, type Copies, type Cut } from './fit-method.ts';
import { MAX_CHARACTER_BYTES, type Sizes } from './measure.ts';
import type { Operation } from './operations.ts';
import { MAX_NAME, readParameters, type Parameter } from './parameters.ts';
import { Ports, type MarkedSchemas } from './ports.ts';
import type { References } from './references.ts';
import { SchemaConverter, type FinishedSchemas } from './schemas/schema-converter.ts';
import { emptySchema } from './schemas/simplify.ts';
import { findOverridingServer, isCallable } from './servers.ts';
import type { DocumentKind, ImportedMethod, ReportEntry, ReportReason } from './types.ts';

const MAX_REASONS = 20;
/** Verbs without side effects. */
const SAFE_VERBS = ['get', 'head', 'options', 'trace', 'query'];
/** Verbs whose requests have no body. */
const WITHOUT_BODY = ['get', 'head', 'trace'];
/** Characters per token of JSON, on average. */
const CHARACTERS_PER_TOKEN = 4;
const MAX_DESCRIPTION = 2_000;
const KIB = 1024;
/** What the service stores of one method: both schemas together, the encodings of a form, and all of it. */
const MAX_SCHEMA_BYTES = 256 * KIB;
const MAX_ENCODING_BYTES = 64 * KIB;
const MAX_METHOD_BYTES = 512 * KIB;
const MAX_TAGS = 20;

/** What the conversion of an operation needs to know of its document. */
export interface DocumentContext {
  kind: DocumentKind;
  root: JsonObject;
  references: References;
  documentUrl: string | undefined;
  /** Schemas that several operations use. */
  finished: FinishedSchemas;
  sizes: Sizes;
  marked: MarkedSchemas;
  /** Schemas without descriptions. */
  copies: Copies;
  /** What was lost before, by the operations. */
  lost: ReadonlyMap<object, ReportReason[]>;
}

/** The reasons why a method is not exact. */
class Reasons {
  readonly list: ReportReason[] = [];

  readonly add = (pointer: string, reason: string): void => {
    if (this.list.length < MAX_REASONS) this.list.push({ pointer, reason });
  };

  /** Says something that must not be left out. */
  addFirst(pointer: string, reason: string): void {
    this.list.unshift({ pointer, reason });
    this.list.splice(MAX_REASONS);
  }
}

/** Converts one operation to a method. `mediaType`: that of its body, if one was chosen. Throws if it cannot be converted. */
export function convertOperation(
  document: DocumentContext,
  { operation, pathItem, path, pointer, ...summary }: Operation,
  mediaType?: string,
): { method: ImportedMethod; report: ReportEntry } {
  const { kind, root, references, documentUrl, finished } = document;
  const reasons = new Reasons();
  for (const { pointer: place, reason } of document.lost.get(operation) ?? []) reasons.add(place, reason);
  const converterOf = (direction: 'input' | 'output') =>
    new SchemaConverter(references, (one) => reasons.add(one.pointer, one.reason), finished, direction);
  const itemPointer = pointer.slice(0, pointer.lastIndexOf('/'));
  const list = readParameters(
    path,
    [
      { list: getOwn(pathItem, 'parameters'), pointer: `${itemPointer}/parameters` },
      { list: getOwn(operation, 'parameters'), pointer: `${pointer}/parameters` },
    ],
    kind,
    references,
    reasons.add,
  );
  const source = { operation, root, kind, references, pointer, onProblem: reasons.add };
  const verb = summary.httpMethod;
  const body = withoutImpossible(readRequestBody(source, list, mediaType), verb, pointer, reasons);
  const [asInput, asOutput] = [converterOf('input'), converterOf('output')];
  const ports = toPorts(list.parameters, body, asInput, document.marked, reasons);
  const response = readResponseBody(source);
  const output =
    response === null
      ? emptySchema()
      : document.marked.output(asOutput.convert(response.schema, response.pointer));
  const serverUrl = kind === 'openapi3' ? findOverridingServer(operation, pathItem, documentUrl) : undefined;
  if (serverUrl !== undefined && !isCallable(serverUrl))
    reasons.add(
      `${pointer}/servers`,
      `The server ${serverUrl.slice(0, 200)} cannot be called: that of the tool is`,
    );
  const encoding = readEncoding(body, document.sizes, reasons);

  const method: ImportedMethod = {
    name: summary.name,
    description: describe(operation, pathItem),
    httpMethod: verb,
    path: '',
    ...(serverUrl !== undefined && isCallable(serverUrl) && { serverUrl }),
    inputSchema: ports.schema(),
    outputSchema: output,
    bindings: ports.bindings,
    bodyMediaType: body?.mediaType ?? null,
    ...(encoding && { encoding }),
    operationKey: summary.operationKey,
    acts: !SAFE_VERBS.includes(verb),
    deprecated: summary.deprecated,
    tags: summary.tags.filter((tag) => tag.length <= MAX_NAME).slice(0, MAX_TAGS),
  };
  setPath(method, path);
  const inputLength = asInput.characters + ports.characters;
  // Most methods are so small that nothing has to be measured.
  if ((inputLength + asOutput.characters) * MAX_CHARACTER_BYTES > MAX_SCHEMA_BYTES)
    fitMethod(method, document, pointer, reasons);
  return {
    method,
    report: {
      operationKey: summary.operationKey,
      fidelity: reasons.list.length === 0 ? 'exact' : 'simplified',
      reasons: reasons.list,
      promptTokens: Math.ceil(
        (method.name.length + method.description.length + inputLength) / CHARACTERS_PER_TOKEN,
      ),
      bodyMediaTypes: body?.mediaTypes ?? [],
      bodyMediaType: body?.mediaType ?? null,
    },
  };
}

/** What clients do not send is left out. */
function withoutImpossible(body: Body | null, verb: string, pointer: string, reasons: Reasons): Body | null {
  if (verb === 'trace') reasons.add(pointer, 'TRACE requests cannot be sent');
  if (body === null || !WITHOUT_BODY.includes(verb)) return body;
  reasons.add(body.pointer, `A ${verb.toUpperCase()} request cannot have a body, so it is omitted`);
  return null;
}

function toPorts(
  parameters: readonly Parameter[],
  body: Body | null,
  converter: SchemaConverter,
  marked: MarkedSchemas,
  reasons: Reasons,
): Ports {
  const ports = new Ports(marked, reasons.add);
  for (const parameter of parameters) ports.addParameter(parameter, converter);
  if (body !== null) ports.addBody(body, converter);
  return ports;
}

function readEncoding(body: Body | null, sizes: Sizes, reasons: Reasons): Body['encoding'] {
  const encoding = body?.encoding;
  if (body === null || encoding === undefined || Object.keys(encoding).length === 0) return undefined;
  // Only what requests are built from: headers and extensions are not sent.
  const kept: Record<string, unknown> = {};
  for (const [name, one] of Object.entries(encoding)) {
    if (!isObject(one)) continue;
    const { contentType, style, explode, allowReserved } = one;
    setOwn(kept, name, {
      ...(typeof contentType === 'string' && { contentType }),
      ...(typeof style === 'string' && { style }),
      ...(typeof explode === 'boolean' && { explode }),
      ...(typeof allowReserved === 'boolean' && { allowReserved }),
    });
    if (isObject(one.headers))
      reasons.add(body.pointer, `The headers of the part ${name.slice(0, 100)} are not sent`);
  }
  if (sizes.of(kept) <= MAX_ENCODING_BYTES) return kept;
  reasons.add(body.pointer, 'The encoding of the form is too large and is left out');
  return undefined;
}

/** A path begins with a slash, and has neither spaces nor backslashes; names of variables lose theirs. */
function setPath(method: ImportedMethod, path: string): void {
  const rooted = path.startsWith('/') ? path : `/${path}`;
  method.path = rooted
    .split(/(\{[^{}]*\})/)
    .map((part, i) =>
      i % 2 === 1
        ? part.replace(/[\s\\]/gu, '_')
        : part.replace(/\s/gu, encodeURIComponent).replaceAll('\\', '%5C'),
    )
    .join('');
  for (const binding of method.bindings)
    if (binding.in === 'path' && binding.name !== undefined)
      binding.name = binding.name.replace(/[\s\\]/gu, '_');
  if (method.path.length > 2_000) throw new Error('its path is too long');
}

/** Cuts the schemas to what the service stores. */
function fitMethod(
  method: ImportedMethod,
  { sizes, copies }: DocumentContext,
  pointer: string,
  reasons: Reasons,
): void {
  const { inputSchema: input, outputSchema: output, ...rest } = method;
  const maxBytes = Math.min(MAX_SCHEMA_BYTES, MAX_METHOD_BYTES - sizes.of(rest) - KIB);
  if (sizes.of(input) + sizes.of(output) <= maxBytes) return;
  const fitted = fitSchemas({ input, output }, maxBytes, sizes, copies);
  if (fitted === null) throw new Error('its input is larger than 256 KB');
  method.inputSchema = fitted.input;
  method.outputSchema = fitted.output;
  for (const cut of fitted.cuts.reverse()) reasons.addFirst(pointer, sentenceOf(cut));
}

function sentenceOf(cut: Cut): string {
  const what =
    cut.what === 'descriptions'
      ? `descriptions inside the ${cut.of} are left out`
      : `the ${cut.of} is simplified below level ${cut.levels}`;
  return `The schemas of a method have at most 256 KB: ${what}`;
}

function describe(operation: JsonObject, pathItem: JsonObject): string {
  const summary = getText(operation, 'summary') || getText(pathItem, 'summary');
  const description = getText(operation, 'description') || getText(pathItem, 'description');
  const isRepeated = description.startsWith(summary);
  const text = isRepeated ? description : [summary, description].filter((part) => part !== '').join('\n\n');
  return text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION - 1).toWellFormed()}…` : text;
}
