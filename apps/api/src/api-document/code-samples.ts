import type { OpenAPIObject } from '@nestjs/swagger';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** What stands for the address of the installation, until the page knows it. */
export const ORIGIN = 'https://platform.example';
const KEY = 'PLATFORM_API_KEY';

export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

/** One request as its example describes it. */
interface SampleRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** JSON; undefined: none. */
  body: unknown;
}

/** The example of an operation, as code in the languages that the API reference shows. Forms have no example. */
export function codeSamples(method: string, path: string, operation: Operation): CodeSample[] {
  const request = requestOf(method, path, operation);
  if (request === null) return [];
  return [
    { lang: 'shell', label: 'cURL', source: curlOf(request) },
    { lang: 'typescript', label: 'TypeScript', source: typeScriptOf(request) },
    { lang: 'python', label: 'Python', source: pythonOf(request) },
  ];
}

function requestOf(method: string, path: string, operation: Operation): SampleRequest | null {
  const values = { path: new Map<string, string>(), query: new URLSearchParams() };
  const headers: Record<string, string> = operation.security?.length === 0 ? {} : { Authorization: '' };
  for (const parameter of operation.parameters ?? []) {
    if (!('in' in parameter) || parameter.example === undefined) continue;
    const value = String(parameter.example);
    if (parameter.in === 'path') values.path.set(parameter.name, value);
    if (parameter.in === 'query') values.query.set(parameter.name, value);
    if (parameter.in === 'header') headers[parameter.name] = value;
  }
  const content =
    operation.requestBody && 'content' in operation.requestBody ? operation.requestBody.content : {};
  const json = content['application/json'];
  if (json === undefined && Object.keys(content).length > 0) return null;
  const example = json?.examples?.request;
  const body = example && 'value' in example ? (example.value as unknown) : undefined;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const query = values.query.size === 0 ? '' : `?${values.query.toString()}`;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values.path.get(name) ?? name),
  );
  return { method: method.toUpperCase(), url: `${ORIGIN}${filled}${query}`, headers, body };
}

const lines = (value: unknown) => JSON.stringify(value, null, 2);
const indented = (text: string, by = '  ') => text.replaceAll('\n', `\n${by}`);

function curlOf({ method, url, headers, body }: SampleRequest): string {
  // Within single quotes, a shell leaves everything as it is.
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const options = Object.entries(headers).map(([name, value]) =>
    name === 'Authorization' ? `-H "Authorization: Bearer $${KEY}"` : `-H ${quoted(`${name}: ${value}`)}`,
  );
  if (body !== undefined) options.push(`-d ${quoted(lines(body))}`);
  const first = method === 'GET' ? `curl ${quoted(url)}` : `curl -X ${method} ${quoted(url)}`;
  return [first, ...options].join(' \\\n  ');
}

function typeScriptOf({ method, url, headers, body }: SampleRequest): string {
  const members = Object.entries(headers).map(([name, value]) => {
    const text = name === 'Authorization' ? `\`Bearer \${process.env.${KEY}}\`` : JSON.stringify(value);
    return `    ${JSON.stringify(name)}: ${text},`;
  });
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(members.length === 0 ? [] : ['  headers: {', ...members, '  },']),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(lines(body))}),`]),
  ];
  const init = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`;
  return `const response = await fetch(${JSON.stringify(url)}${init});\nconsole.log(response.status, await response.text());`;
}

function pythonOf({ method, url, headers, body }: SampleRequest): string {
  const members = Object.entries(headers)
    .filter(([name]) => name !== 'Content-Type')
    .map(([name, value]) =>
      name === 'Authorization'
        ? `        "Authorization": f"Bearer {os.environ['${KEY}']}",`
        : `        ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
    );
  const argumentsOf = [
    `    ${JSON.stringify(url)},`,
    ...(members.length === 0 ? [] : ['    headers={', ...members, '    },']),
    ...(body === undefined ? [] : [`    json=${indented(pythonValue(body), '    ')},`]),
  ];
  return [
    'import os',
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    ...argumentsOf,
    ')',
    'print(response.status_code, response.text)',
  ].join('\n');
}

/** A JSON value as Python writes it. */
function pythonValue(value: unknown, indent = ''): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const members = Array.isArray(value)
    ? value.map((item) => pythonValue(item, inner))
    : Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${pythonValue(member, inner)}`);
  if (members.length === 0) return `${open}${close}`;
  return `${open}\n${members.map((member) => `${inner}${member},`).join('\n')}\n${indent}${close}`;
}
