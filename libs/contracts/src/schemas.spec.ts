import type {
  Agent,
  ContentItem,
  CreateAgentRequest,
  CreateJobRequest,
  Envelope,
  ExecuteInputs,
  Job,
  Run,
  RunStatus,
  Step,
  TokenUsage,
  ToolAuth,
  Tool,
} from './index.ts';

/** The compiler is the test: an object with a value that is not true does not compile. */
type Equal<A, B> = [A, B] extends [B, A] ? true : false;
type OptionalKeys<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];

describe('generated types', () => {
  it('are as precise as the DTO classes', () => {
    const shapes: {
      literals: Equal<Job['type'], 'AGENT_INVOKE'>;
      enums: Equal<Run['status'], RunStatus>;
      nullable: Equal<Envelope['dispatchedAt'], string | null>;
      nullableReference: Equal<Agent['knowledge']['topK'], number>;
      optional: Equal<OptionalKeys<Job>, 'result' | 'error' | 'input'>;
      trueOnly: Equal<TokenUsage['estimated'], true | undefined>;
      records: Equal<Envelope['payload'], { [key: string]: unknown }>;
      anyValue: Equal<NonNullable<Run['steps']>[number]['output'], unknown>;
    } = {
      literals: true,
      enums: true,
      nullable: true,
      nullableReference: true,
      optional: true,
      trueOnly: true,
      records: true,
      anyValue: true,
    };
    expect(Object.values(shapes)).not.toContain(false);
  });

  it('let the optional fields of requests be null', () => {
    const shapes: {
      required: Equal<CreateAgentRequest['name'], string>;
      optional: Equal<CreateAgentRequest['askUser'], boolean | null | undefined>;
      reference: Equal<null extends CreateAgentRequest['knowledge'] ? true : false, true>;
      requiredKeys: Equal<
        Exclude<keyof CreateAgentRequest, OptionalKeys<CreateAgentRequest>>,
        'name' | 'model' | 'systemPrompt'
      >;
    } = { required: true, optional: true, reference: true, requiredKeys: true };
    expect(Object.values(shapes)).not.toContain(false);
  });

  it('tell the branches of a union apart', () => {
    const shapes: {
      contents: Equal<ContentItem['type'], 'text' | 'image_url' | 'audio' | 'file'>;
      narrowed: Equal<Extract<ContentItem, { type: 'text' }>['text'], string>;
      steps: Equal<Extract<Step, { kind: 'task' }>['taskId'], string>;
      auth: Equal<Extract<ToolAuth, { type: 'bearer' }>['token'], string | null | undefined>;
      configured: Equal<Extract<Tool['auth'], { type: 'basic' }>['configured'], boolean>;
      jobs: Equal<Extract<CreateJobRequest, { inputs: ExecuteInputs }>['agentId'], string>;
      furtherKeys: Equal<ExecuteInputs['customer'], unknown>;
    } = {
      contents: true,
      narrowed: true,
      steps: true,
      auth: true,
      configured: true,
      jobs: true,
      furtherKeys: true,
    };
    expect(Object.values(shapes)).not.toContain(false);
  });
});
