import type { ToolMethod, UpdateToolMethodRequest } from '@platform/contracts';
import { formatJson } from '../../../ui/code/json-view.tsx';
import { parseSchema } from '../../../ui/code/parse-json.ts';
import { listFieldNames } from '../../../ui/forms/field-names.ts';

/** A method as a form edits it. Schemas are JSON texts. */
export interface StoredMethodValues extends Pick<
  ToolMethod,
  'name' | 'description' | 'cache' | 'retry' | 'timeoutMs' | 'policy'
> {
  inputSchema: string;
  outputSchema: string;
  /** One JSON Pointer per line; empty for all. */
  outputFields: string;
}

/** Names of the form fields as they appear in error messages of the service. */
export const STORED_METHOD_FIELDS = listFieldNames<keyof StoredMethodValues>({
  name: true,
  description: true,
  cache: listFieldNames<keyof StoredMethodValues['cache']>({ ttlSeconds: true }),
  retry: listFieldNames<keyof StoredMethodValues['retry']>({ attempts: true, backoffMs: true }),
  timeoutMs: true,
  policy: true,
  inputSchema: true,
  outputSchema: true,
  outputFields: true,
});

export function toMethodValues(method: ToolMethod): StoredMethodValues {
  const { name, description, cache, retry, timeoutMs, policy } = method;
  const { inputSchema, outputSchema, outputFields } = method;
  return {
    name,
    description,
    cache,
    retry,
    timeoutMs,
    policy,
    inputSchema: formatJson(inputSchema),
    outputSchema: formatJson(outputSchema),
    outputFields: (outputFields ?? []).join('\n'),
  };
}

export function toMethodRequest({
  inputSchema,
  outputSchema,
  outputFields,
  ...values
}: StoredMethodValues): UpdateToolMethodRequest {
  const fields = outputFields
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return {
    ...values,
    // The form has checked that both are objects.
    inputSchema: parseSchema(inputSchema) ?? {},
    outputSchema: parseSchema(outputSchema) ?? {},
    outputFields: fields.length === 0 ? null : fields,
  };
}
