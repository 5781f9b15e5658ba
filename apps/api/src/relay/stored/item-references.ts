import { AppError } from '../../infra/errors/app-error.ts';
import { isObject, type JsonObject } from '../../infra/runtime/json.ts';
import { invalidField } from '../requests/relay-request.ts';

const MAX_REFERENCES = 10_000;

/** Returns the ids of the items of a request that its server would look up, and where each is. */
export function findItemReferences(input: unknown): Map<string, string> {
  const references = new Map<string, string>();
  if (!Array.isArray(input)) return references;
  for (const [i, item] of input.entries()) {
    if (!isObject(item) || !isReference(item)) continue;
    const at = `input[${i}].id`;
    if (typeof item.id !== 'string') throw invalidField(at, `${at} must be the id of an item`);
    references.set(item.id, at);
    if (references.size > MAX_REFERENCES)
      throw invalidField('input', `input must refer to at most ${MAX_REFERENCES} items`);
  }
  return references;
}

/** Returns the error for an item of someone else, or none at all. */
export function itemNotFound(id: string, param: string): AppError {
  const message =
    `Item with id '${id}' not found among the stored responses of this key: ` +
    'send the item itself without its id, or use previous_response_id.';
  return new AppError('NOT_FOUND', message, { openai: { code: 'item_not_found', param } });
}

/** Whether a server takes the content from the item that it stores under the id. The type of a reference is optional. */
function isReference(item: JsonObject): boolean {
  if (isMissing(item.id)) return false;
  switch (item.type ?? (isMissing(item.role) ? 'item_reference' : 'message')) {
    case 'item_reference':
    case 'image_generation_call':
      return true;
    case 'reasoning':
      // The summary is not what the model reasoned.
      return isMissing(item.encrypted_content) && isMissing(item.content);
    default:
      return Object.entries(item).every(([name, value]) => IDENTITY.has(name) || isMissing(value));
  }
}

/** What an item has besides its content. */
const IDENTITY = new Set(['id', 'type', 'role', 'status']);

const isMissing = (value: unknown) =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
