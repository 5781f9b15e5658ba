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

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type OptionalKeys<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];

/** Fails to compile unless every one is true: the compiler is the test. */
const exactly = <T extends Record<string, true>>(shapes: T) => Object.keys(shapes);

describe('generated types', () => {
  it('are as precise as the DTO classes', () => {
    const shapes = exactly<{
      literals: Equal<Job['type'], 'AGENT_INVOKE'>;
      enums: Equal<Run['status'], RunStatus>;
      nullable: Equal<Envelope['dispatchedAt'], string | null>;
      nullableReference: Equal<Agent['knowledge']['topK'], number>;
      optional: Equal<OptionalKeys<Job>, 'result' | 'error'>;
      trueOnly: Equal<TokenUsage['estimated'], true | undefined>;
      records: Equal<Envelope['payload'], { [key: string]: unknown }>;
      anyValue: Equal<NonNullable<Run['steps']>[number]['output'], unknown>;
    }>({
      literals: true,
      enums: true,
      nullable: true,
      nullableReference: true,
      optional: true,
      trueOnly: true,
      records: true,
      anyValue: true,
    });
    expect(shapes).toHaveLength(8);
  });

  it('let the optional fields of requests be null', () => {
    const shapes = exactly<{
      required: Equal<CreateAgentRequest['name'], string>;
      optional: Equal<CreateAgentRequest['askUser'], boolean | null | undefined>;
      reference: Equal<null extends CreateAgentRequest['knowledge'] ? true : false, true>;
      requiredKeys: Equal<
        Exclude<keyof CreateAgentRequest, OptionalKeys<CreateAgentRequest>>,
        'name' | 'model' | 'systemPrompt'
      >;
    }>({ required: true, optional: true, reference: true, requiredKeys: true });
    expect(shapes).toHaveLength(4);
  });

  it('tell the branches of a union apart', () => {
    const shapes = exactly<{
      contents: Equal<ContentItem['type'], 'text' | 'image_url' | 'audio' | 'file'>;
      narrowed: Equal<Extract<ContentItem, { type: 'text' }>['text'], string>;
      steps: Equal<Step['kind'], 'code' | 'tool' | 'agent' | 'emit'>;
      auth: Equal<Extract<ToolAuth, { type: 'bearer' }>['token'], string | null | undefined>;
      configured: Equal<Extract<Tool['auth'], { type: 'basic' }>['configured'], boolean>;
      jobs: Equal<Extract<CreateJobRequest, { inputs: ExecuteInputs }>['agentId'], string>;
      furtherKeys: Equal<ExecuteInputs['customer'], unknown>;
    }>({
      contents: true,
      narrowed: true,
      steps: true,
      auth: true,
      configured: true,
      jobs: true,
      furtherKeys: true,
    });
    expect(shapes).toHaveLength(7);
  });
});
