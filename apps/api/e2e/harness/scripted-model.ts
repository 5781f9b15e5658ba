import {
  startOpenAiServer,
  type Behavior,
  type FakeOpenAiServer,
  type FakeRequest,
} from '../fixtures/openai-server.ts';

/** The fake model server, told per prompt what to do, so that turns may run side by side. */
export class ScriptedModel {
  private readonly scripts = new Map<string, Behavior[]>();
  private server: FakeOpenAiServer | null = null;

  static async start(): Promise<ScriptedModel> {
    const model = new ScriptedModel();
    model.server = await startOpenAiServer({
      behavior: (body) => model.scripts.get(promptOf(body))?.shift() ?? { text: ['Hello', ' world', '!'] },
    });
    return model;
  }

  get url(): string {
    return this.started.url;
  }

  /** A prompt of its own that gets these answers, one after the other, and then `Hello world!`. */
  prompt(...behaviors: Behavior[]): string {
    const prompt = `Prompt ${this.scripts.size + 1}`;
    this.scripts.set(prompt, behaviors);
    return prompt;
  }

  /** The calls that had this prompt as the last words of the user. */
  requests(prompt: string): FakeRequest[] {
    return this.started.requests.filter(({ body }) => promptOf(body) === prompt);
  }

  close(): Promise<void> {
    return this.started.close();
  }

  private get started(): FakeOpenAiServer {
    if (this.server === null) throw new Error('The model server has not started');
    return this.server;
  }
}

/** What the user said last; of several parts the texts. */
function promptOf(body: Record<string, unknown>): string {
  const messages = (body.messages ?? []) as { role: string; content: string | { text?: string }[] }[];
  const content = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');
}
