import { readFileSync } from 'node:fs';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { ErrorBodyDto } from '../infra/errors/error.dto.ts';
import { RouteTableRegistry, type Route } from '../infra/routes/route-table.registry.ts';
import { ERROR_RESPONSES, errorResponses } from './error-responses.ts';
import { EXAMPLES, type OperationExample } from './examples.ts';
import { operationId, titleOf } from './operation-ids.ts';
import { listStepKinds } from '../tasks/definition/step-kinds.ts';
import { allowFurtherKeys, allowNulls, completeSchemas } from './schemas.ts';
import { describeSteps } from './step-schemas.ts';

type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['get']>;

/** By operation: recorded by `e2e/api-examples.e2e-spec.ts`. */
const RESPONSES = JSON.parse(
  readFileSync(new URL('./response-examples.json', import.meta.url), 'utf8'),
) as Record<string, unknown>;

const FORM = 'application/x-www-form-urlencoded';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const DESCRIPTION = `Agents by streaming chat, structured execution, and jobs; events that start tasks; tools; knowledge; and
an OpenAI-compatible relay.

Every call needs an API key or an access token: \`Authorization: Bearer …\`. Lists are pages, \`{items, nextCursor}\`; errors
are \`{success: false, message, code}\`, except below \`/models/v1\`, which speaks OpenAI's API.`;

/** Describes a running service. Complete only if the service is compiled by tsc, with the plugin of Swagger. */
export function createApiDocument(app: NestExpressApplication): OpenAPIObject {
  const about = new DocumentBuilder()
    .setTitle('Agent platform')
    .setDescription(DESCRIPTION)
    .setVersion(productVersion())
    .addServer('/', 'This installation')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key, or an access token.' })
    .addSecurityRequirements('bearer')
    .build();
  const document = SwaggerModule.createDocument(app, about, {
    extraModels: [ErrorBodyDto, ...listStepKinds().map(({ schema }) => schema)],
    operationIdFactory: operationId,
  });
  (document.components ??= {}).responses = ERROR_RESPONSES;
  completeOperations(document, app.get(RouteTableRegistry));
  describeSteps(document.components.schemas);
  const schemas = (document.components.schemas ??= {}) as Record<string, Record<string, unknown>>;
  allowFurtherKeys(schemas);
  allowNulls(document, schemas);
  completeSchemas(schemas);
  completeSchemas(document.paths);
  return document;
}

function completeOperations(document: OpenAPIObject, routes: RouteTableRegistry): void {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation) completeOperation(operation, method, path, routes);
    }
  }
}

function completeOperation(
  operation: Operation,
  method: string,
  path: string,
  routes: RouteTableRegistry,
): void {
  const route = routes.find(method.toUpperCase(), path.replace(/\{(\w+)\}/g, '$1'));
  if (route === null) throw new Error(`The route table lacks ${method} ${path}`);
  // A header that OpenAPI describes by the content of the body.
  const declared = (operation.parameters ?? []).filter(
    (one) => !('name' in one && /^content-type$/i.test(one.name)),
  );
  const parameters = (operation.parameters = declared);
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    const isKnown = parameters.some((one) => 'in' in one && one.in === 'path' && one.name === name);
    if (!isKnown) parameters.push({ name, in: 'path', required: true, schema: { type: 'string' } });
  }
  // The title is short for the navigation; what the operation does is its description.
  operation.description = [operation.summary, operation.description, keySentence(route)]
    .filter(Boolean)
    .join('\n\n');
  operation.summary = titleOf(operation.operationId ?? '');
  operation.tags = operation.tags?.map(titleOf);
  addExample(operation);
  addResponseExample(operation);
  const facts = {
    operationId: operation.operationId ?? '',
    path,
    route,
    hasBody: operation.requestBody !== undefined,
    hasQuery: parameters.some((one) => 'in' in one && one.in === 'query'),
  };
  Object.assign(operation.responses, errorResponses(facts));
  if (route.rule === 'public') operation.security = [];
}

/** Says which scopes allow an API key to call a route; null where no user credential is needed. */
function keySentence({ rule, scopes }: Route): string | null {
  if (rule === null || rule === 'public' || rule === 'application') return null;
  if (scopes.length === 0) return 'No API key may make this call.';
  return `An API key needs the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`;
}

function addExample(operation: Operation): void {
  const { path, query, headers, body }: OperationExample = EXAMPLES[operation.operationId ?? ''] ?? {};
  const values: Record<string, Record<string, string> | undefined> = { path, query, header: headers };
  for (const parameter of operation.parameters ?? []) {
    if (!('in' in parameter)) continue;
    const value = values[parameter.in]?.[parameter.name];
    if (value !== undefined) parameter.example = isNumeric(parameter.schema) ? Number(value) : value;
    // A parameter with a default may be left out.
    if (parameter.in === 'query') parameter.required = false;
  }
  const request = operation.requestBody;
  const contents = request && 'content' in request ? request.content : {};
  const content = contents['application/json'] ?? contents[FORM];
  // A map, because the viewer shows a bare `example` only if it has a field named `value`.
  if (content && body !== undefined) content.examples = { request: { value: body } };
}

function addResponseExample({ operationId = '', responses }: Operation): void {
  if (!Object.hasOwn(RESPONSES, operationId)) return;
  for (const [status, response] of Object.entries(responses)) {
    const content = response !== undefined && 'content' in response ? response.content : undefined;
    const json = content?.['application/json'];
    if (status < '3' && json !== undefined) json.examples = { response: { value: RESPONSES[operationId] } };
  }
}

const isNumeric = (schema: object | undefined) =>
  schema !== undefined && 'type' in schema && (schema.type === 'number' || schema.type === 'integer');

/** The version of the packages, which are released together. */
function productVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
