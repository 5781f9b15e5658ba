import { setImmediate } from 'node:timers/promises';
import { OFFLINE_COMMANDS, OFFLINE_MODEL } from '@platform/contracts';
import { delay } from '../port/delay.ts';
import {
  MAX_DIMENSIONS,
  ProviderError,
  type EmbeddingRequest,
  type Embeddings,
  type ModelDelta,
  type ModelMessage,
  type ModelPart,
  type ModelProvider,
  type ModelRequest,
  type ModelTool,
  type OfferedModels,
  type Reranking,
  type RerankRequest,
} from '../port/model-provider.ts';
import { ASK_TOOL, callsMade, readScript, withoutDirectives, type ScriptedCall } from './offline-script.ts';
import { buildInstance } from './schema-instance.ts';
import { sharesOfWords, vectorOfWords } from './offline-vectors.ts';
import { countTokens, estimatePrompt, tokenCounter } from '../port/tokens.ts';

const WORDS_PER_TURN = 32;
const QUOTE_LENGTH = 400;

/** `platform/offline`: a deterministic model that needs no network and follows the directives of its user. */
export class OfflineProvider implements ModelProvider {
  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelDelta> {
    signal.throwIfAborted();
    const { messages, tools, settings } = request;
    const count = await tokenCounter();
    const promptTokens = await estimatePrompt(messages, tools);
    const most = settings.maxTokens ?? Infinity;
    let completionTokens = 0;
    let words = 0;

    function* end(reason: 'stop' | 'length' | 'tool-calls'): Generator<ModelDelta> {
      yield { type: 'usage', promptTokens, completionTokens, cachedTokens: 0, reasoningTokens: 0 };
      yield { type: 'finish', reason };
    }

    /** Streams word by word. Returns false when the token limit is reached. */
    async function* say(text: Iterable<string>): AsyncGenerator<ModelDelta, boolean> {
      for (const word of text) {
        const tokens = count(word);
        if (completionTokens + tokens > most) return false;
        completionTokens += tokens;
        if (++words % WORDS_PER_TURN === 0) await setImmediate();
        signal.throwIfAborted();
        yield { type: 'text', text: word };
      }
      return true;
    }

    let spoke = false;
    const script = readScript(lastUserText(messages), tools, callsMade(messages));
    for (const action of script) {
      let complete = true;
      switch (action.kind) {
        case 'think':
          await delay(action.ms, signal);
          break;
        case 'fail':
          throw new ProviderError('unavailable', 'The offline model failed, as the message requested.');
        case 'long':
          complete = yield* say(manyWords(action.words));
          spoke = true;
          break;
        case 'say':
          complete = yield* say(wordsOf(`${action.text}\n`));
          spoke = true;
          break;
        case 'calls':
          for (const delta of callDeltas(action.calls, allCalls(messages))) {
            if (delta.type === 'tool-call') completionTokens += count((delta.name ?? '') + delta.arguments);
            if (++words % WORDS_PER_TURN === 0) await setImmediate();
            signal.throwIfAborted();
            yield delta;
          }
          yield* end('tool-calls');
          return;
      }
      if (!complete) {
        yield* end('length');
        return;
      }
    }
    const answer = conclusion(request, script.length > 0);
    const complete = spoke || (yield* say(wordsOf(answer)));
    yield* end(complete ? 'stop' : 'length');
  }

  /** The vectors know words, not meaning. A text that is `/fail` fails. */
  async embed({ texts, dimensions }: EmbeddingRequest, signal: AbortSignal): Promise<Embeddings> {
    if (dimensions !== undefined && !(dimensions >= 1 && dimensions <= MAX_DIMENSIONS))
      throw new ProviderError('refused', `The offline model has 1 to ${MAX_DIMENSIONS} dimensions.`);
    const vectors: Float32Array[] = [];
    for (const text of texts) {
      await this.considers(text, signal);
      vectors.push(vectorOfWords(text, dimensions));
    }
    return { vectors, promptTokens: await tokensOf(texts) };
  }

  /** The more words of the query, the higher. A query that is `/fail` fails. */
  async rerank({ query, texts }: RerankRequest, signal: AbortSignal): Promise<Reranking> {
    await this.considers(query, signal);
    const scores = sharesOfWords(query, texts);
    return { scores, promptTokens: await tokensOf([query, ...texts]) };
  }

  async listModels(signal: AbortSignal): Promise<OfferedModels> {
    await this.considers('', signal);
    return { names: [OFFLINE_MODEL], isComplete: true };
  }

  private async considers(text: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await setImmediate();
    signal.throwIfAborted();
    if (text.trim() === '/fail')
      throw new ProviderError('unavailable', 'The offline model failed, as the text requested.');
  }
}

async function tokensOf(texts: readonly string[]): Promise<number> {
  let tokens = 0;
  for (const text of texts) tokens += await countTokens(text);
  return tokens;
}

/** What the model says when no directive is left. */
function conclusion({ messages, tools, answerFormat }: ModelRequest, scripted: boolean): string {
  const said = summary(messages);
  switch (answerFormat?.type) {
    case 'json-object':
      return JSON.stringify({ answer: said }, null, 2);
    case 'json-schema':
      return JSON.stringify(buildInstance(answerFormat.schema, said), null, 2);
    case undefined:
      return scripted || !isOpening(messages) ? said : `${said}\n\n${introduction(tools)}`;
  }
}

/** Whether the conversation consists of one short message of the user. */
function isOpening(messages: ModelMessage[]): boolean {
  const [message, ...later] = messages.filter((each) => each.role !== 'system' && !isEvidence(each));
  return message?.role === 'user' && later.length === 0 && textOf(message.parts).length <= QUOTE_LENGTH;
}

/** What the model is, and what can be tried with the tools that it was offered. */
function introduction(tools: ModelTool[]): string {
  const commands = OFFLINE_COMMANDS.flatMap(({ name, example, does }) => {
    const shown = exampleFor(name, example, tools);
    return shown === null ? [] : [`- \`${shown}\` ${does}`];
  });
  return [
    'I am platform/offline, the built-in model. I need no network, cost nothing, and repeat what I receive. I also follow these lines, one or more per message:',
    '',
    ...commands,
    '',
    'For real answers, add a model in the console under Models, and choose it in the agent.',
  ].join('\n');
}

/** The example with a tool that is offered; null if there is none for it. */
function exampleFor(command: string, example: string, tools: ModelTool[]): string | null {
  const called = tools.find(({ name }) => name.includes('__'))?.name;
  const own = tools.find(({ name }) => !name.includes('__') && name !== ASK_TOOL)?.name;
  switch (command) {
    case 'ask':
    case 'ask-many':
      return tools.some(({ name }) => name === ASK_TOOL) ? example : null;
    case 'call':
      return called === undefined ? null : `/call ${called.replace('__', '.')} {}`;
    case 'local':
      return own === undefined ? null : `/local ${own} {}`;
    default:
      return example;
  }
}

/** What the model received: the results of its calls, or else the message of the user. */
function summary(messages: ModelMessage[]): string {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const results = resultsOf(messages.slice(at + 1));
  if (results.length > 0) return `Done. ${results.join(' ')}`;
  const user = messages[at];
  const parts = user?.role === 'user' ? user.parts : [];
  const before = messages.slice(0, Math.max(at, 0));
  const earlier = before.filter((message) => message.role === 'user' && !isEvidence(message)).length;
  const said = withoutDirectives(textOf(parts));
  const received = parts.flatMap((part) => (part.type === 'text' ? [] : [describe(part)]));
  return [
    said === '' ? 'You said nothing.' : `You said: ${quote(said)}`,
    ...(received.length > 0 ? [`I received ${received.join(', ')}.`] : []),
    ...(isEvidence(before.at(-1)) ? ['I received what was found by searching.'] : []),
    ...(earlier > 0 ? [`Before that you wrote ${earlier} ${earlier === 1 ? 'message' : 'messages'}.`] : []),
  ].join(' ');
}

function isEvidence(message: ModelMessage | undefined): boolean {
  return message?.role === 'user' && message.isEvidence === true;
}

function describe(part: Exclude<ModelPart, { type: 'text' }>): string {
  switch (part.type) {
    case 'image':
      return `an image (${part.url.startsWith('data:') ? part.url.slice(5).split(/[;,]/)[0] : 'by address'}, detail ${part.detail})`;
    case 'audio':
      return `a recording (${part.format}, ${byteLength(part.data)} bytes)`;
    case 'file':
      return `a file (${part.filename}, ${part.mime}, ${byteLength(part.data)} bytes)`;
  }
}

function resultsOf(messages: ModelMessage[]): string[] {
  const names = new Map(allCalls(messages).map(({ id, name }) => [id, name]));
  return messages.flatMap((message) =>
    message.role === 'tool'
      ? [`${names.get(message.callId) ?? 'A tool'} answered: ${quote(message.text)}`]
      : [],
  );
}

const allCalls = (messages: ModelMessage[]) =>
  messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));

/** Sends each call in two pieces, as model servers do. Ids are numbered within the conversation. */
function* callDeltas(calls: ScriptedCall[], earlier: { id: string }[]): Generator<ModelDelta> {
  for (const [index, { name, arguments: json }] of calls.entries()) {
    const half = json.length >> 1;
    const id = `call_${earlier.length + index + 1}`;
    yield { type: 'tool-call', index, id, name, arguments: json.slice(0, half) };
    yield { type: 'tool-call', index, arguments: json.slice(half) };
  }
}

function lastUserText(messages: ModelMessage[]): string {
  const user = messages.findLast((message) => message.role === 'user');
  return user ? textOf(user.parts) : '';
}

const textOf = (parts: ModelPart[]) =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');

/** Splits before spaces and after line feeds: the token counts of these pieces add up to that of the text. */
const wordsOf = (text: string) => text.match(/[^\S\n]*\S+\n*|\s+/g) ?? [];

function* manyWords(count: number): Generator<string> {
  for (let i = 1; i <= count; i++) yield i === 1 ? 'word' : ' word';
}

function quote(text: string): string {
  return text.length > QUOTE_LENGTH ? `${text.slice(0, QUOTE_LENGTH)}…` : text;
}

const byteLength = (base64: string) => Buffer.byteLength(base64, 'base64');
