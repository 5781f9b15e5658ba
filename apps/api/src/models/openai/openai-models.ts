import { isText } from '../../infra/requests/text.ts';
import { isObject } from '../../infra/runtime/json.ts';
import { MAX_OFFERED_MODELS, ProviderError, type OfferedModels } from '../port/model-provider.ts';
import type { Secrets } from '../port/secrets.ts';
import { badAnswer } from './openai-errors.ts';

/** As long as a definition can hold. */
const MAX_NAME_LENGTH = 200;
/** What servers say that have no list, or not at this address. */
const HAS_NO_LIST = [404, 405, 501];
const NO_LIST = "The model's server did not send a list of models: check the base URL.";

/** Reads the response of `/models`. Leaves out what cannot be a name, and throws a `ProviderError` if there is no list. */
export function readModels(answer: unknown, secrets: Secrets): OfferedModels {
  // Some servers send the list without an object around it.
  const list = isObject(answer) ? answer.data : answer;
  if (!Array.isArray(list)) throw badAnswer(NO_LIST);
  const names = new Set<string>();
  let isComplete = !isObject(answer) || answer.has_more !== true;
  for (const item of list) {
    const name: unknown = isObject(item) ? item.id : null;
    if (!isName(name) || secrets.isIn(name)) continue;
    if (names.size === MAX_OFFERED_MODELS && !names.has(name)) {
      isComplete = false;
      break;
    }
    names.add(name);
  }
  return { names: [...names], isComplete };
}

/** The same failure, in words about the list. */
export function explainNoList(error: unknown): unknown {
  if (!(error instanceof ProviderError)) return error;
  const { status, code } = error;
  if (status !== undefined && HAS_NO_LIST.includes(status)) {
    const message = `The model's server has no list of models at this base URL (HTTP ${status}).`;
    return new ProviderError('refused', message, { cause: error, status });
  }
  return code === 'bad-answer' ? badAnswer(NO_LIST) : error;
}

const isName = (value: unknown): value is string =>
  isText(value) && value.trim() !== '' && value.length <= MAX_NAME_LENGTH;
