import type { MethodBinding, MethodPortLocation, ToolMethodRequest } from '@platform/contracts';
import { listFieldNames } from '../../../ui/forms/field-names.ts';

export const VERBS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const;
export const PLACES = ['path', 'query', 'header', 'cookie', 'body'] as const;
export const TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const;
export const BODY_TYPES = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
] as const;

/** A parameter as a form edits it. */
export interface ParameterValues {
  name: string;
  in: MethodPortLocation;
  type: (typeof TYPES)[number];
  required?: boolean;
}

/** A method as a form edits it. */
export interface MethodValues {
  name: string;
  description?: string;
  httpMethod: (typeof VERBS)[number];
  path: string;
  parameters?: ParameterValues[];
  bodyMediaType?: (typeof BODY_TYPES)[number];
}

/** A form that has the fields of one method. */
export interface NewMethodValues {
  methods: [MethodValues];
}

export const NEW_METHOD: MethodValues = { name: '', httpMethod: 'get', path: '' };

/** The fields of a method that an error of the service can refer to. */
export const METHOD_FIELDS = listFieldNames<keyof MethodValues>({
  name: true,
  description: true,
  httpMethod: true,
  path: true,
  parameters: null,
  bodyMediaType: true,
}).map((name) => `methods.0.${name}`);

/** Returns the request for a method: its parameters become the ports of the input. */
export function buildMethod({ parameters = [], bodyMediaType, ...method }: MethodValues): ToolMethodRequest {
  const all = withPathVariables(method.path, parameters);
  const inBody = new Set(all.filter((one) => one.in === 'body').map(({ name }) => name));
  const ports = new Map<string, { schema: object; required: boolean; binding: MethodBinding }>();
  for (const { name, in: place, type, required = false } of all) {
    // As in an import: parameters of the body keep their names.
    const isTaken = ports.has(name) || (place !== 'body' && inBody.has(name));
    const port = isTaken ? `${name}__${place}` : name;
    const schema = { type, ...(type === 'array' && { items: {} }), isPort: true };
    ports.set(port, { schema, required: required || place === 'path', binding: { port, in: place, name } });
  }
  const names = [...ports].filter(([, { required }]) => required).map(([port]) => port);
  return {
    ...method,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries([...ports].map(([port, { schema }]) => [port, schema])),
      ...(names.length > 0 && { required: names }),
    },
    bindings: [...ports.values()].map(({ binding }) => binding),
    ...(inBody.size > 0 && { bodyMediaType: bodyMediaType ?? 'application/json' }),
  };
}

/** Adds the variables of the path that are not declared. A declaration that repeats another one replaces it. */
function withPathVariables(path: string, parameters: readonly ParameterValues[]): ParameterValues[] {
  const all = new Map<string, ParameterValues>();
  for (const [, name = ''] of path.matchAll(/\{([^{}]+)\}/g)) {
    all.set(`path ${name}`, { name, in: 'path', type: 'string', required: true });
  }
  for (const parameter of parameters) all.set(`${parameter.in} ${parameter.name}`, parameter);
  return [...all.values()];
}
