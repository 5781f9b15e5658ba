import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

interface Document {
  paths: Record<string, Record<string, object>>;
}

interface Operation {
  operationId: string;
  responses: Partial<Record<string, { content?: Partial<Record<string, { schema?: object }>> }>>;
}

/** Returns what says how a JSON response of an operation differs from what an OpenAPI document describes. */
export function responseChecker(
  document: Document,
): (operationId: string, status: number, body: unknown) => string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(withNulls(document) as object, 'document');
  const compiled = new Map<string, ValidateFunction | null>();
  const pointers = new Map<string, { operation: Operation; pointer: string[] }>();
  for (const [path, item] of Object.entries(document.paths))
    for (const [method, one] of Object.entries(item)) {
      const operation = one as Operation;
      pointers.set(operation.operationId, { operation, pointer: ['paths', path, method] });
    }
  const validatorOf = (operationId: string, status: number): ValidateFunction | null => {
    const found = pointers.get(operationId);
    const json = found?.operation.responses[String(status)]?.content?.['application/json'];
    if (found === undefined || json?.schema === undefined) return null;
    const parts = [...found.pointer, 'responses', String(status), 'content', 'application/json', 'schema'];
    const escaped = parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')));
    return ajv.compile({ $ref: `document#/${escaped.join('/')}` });
  };
  return (operationId, status, body) => {
    const key = `${operationId} ${status}`;
    const validate = compiled.get(key) ?? validatorOf(operationId, status);
    compiled.set(key, validate);
    if (validate === null || validate(body)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${operationId}: ${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
}

/** OpenAPI 3.0 says `nullable` beside what else a value can be; JSON Schema does not know it. */
function withNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNulls);
  if (value === null || typeof value !== 'object') return value;
  const { nullable, ...rest } = value as { nullable?: unknown };
  const schema = Object.fromEntries(Object.entries(rest).map(([key, member]) => [key, withNulls(member)]));
  return nullable === true ? { anyOf: [{ type: 'null' }, schema] } : schema;
}
