import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { listStepKinds } from '../tasks/definition/step-kinds.ts';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

/** Where schemas contain steps. */
const NESTED = [
  ['WorkflowDto', 'steps'],
  ['BranchDto', 'steps'],
  ['BranchStepDto', 'otherwise'],
  ['EachStepDto', 'steps'],
] as const;

/** Adds the kinds of steps to the schemas that contain steps. Modules that come after those of the schemas define the kinds. */
export function describeSteps(schemas: Schemas | undefined): void {
  const kinds = listStepKinds();
  const oneOf = kinds.map(({ schema }) => ({ $ref: getSchemaPath(schema) }));
  for (const [schema, property] of NESTED)
    Object.assign(propertyOf(schemas, schema, property), { items: { oneOf } });
  const names = kinds.map(({ kind }) => kind);
  Object.assign(propertyOf(schemas, 'RunStepDto', 'kind'), { type: 'string', enum: names });
}

function propertyOf(schemas: Schemas | undefined, schema: string, property: string): object {
  const found = schemas?.[schema];
  const described = found && 'properties' in found ? found.properties?.[property] : undefined;
  // Only tsc writes the properties that the decorators leave out.
  return described ?? {};
}
