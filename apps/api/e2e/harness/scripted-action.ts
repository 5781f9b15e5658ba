import type { Step, ToolStep } from '@platform/contracts';
import {
  ActionRegistry,
  type Action,
  type ActionContext,
} from '../../src/tasks/definition/action.registry.ts';
import type { TestApp } from './app.ts';
import { replaceAction } from './replace-action.ts';

export type Script = (context: ActionContext, input: Record<string, unknown>) => unknown;

/** Steps of kind `tool` that do what a test says: each method is a function of the test. */
export class ScriptedAction implements Action {
  readonly kind = 'tool';
  /** Every call, in order. */
  readonly calls: ActionContext[] = [];
  private readonly scripts = new Map<string, Script>();

  /** Takes the place of the real tools. Several processes share what they call. */
  static install(...apps: TestApp[]): ScriptedAction {
    const action = new ScriptedAction();
    for (const app of apps) action.addTo(app);
    return action;
  }

  /** Takes the place of the real tools in another process. */
  addTo(app: TestApp): void {
    replaceAction(app.get(ActionRegistry), this);
  }

  /** Returns a step that calls the function. */
  step(id: string, script: Script, input: Record<string, unknown> = {}): ToolStep {
    const method = `m${this.scripts.size}`;
    this.scripts.set(method, script);
    return { id, kind: 'tool', toolId: 'scripted', method, input };
  }

  async run(context: ActionContext): Promise<unknown> {
    this.calls.push(context);
    const { method, input } = context.step as Extract<Step, { kind: 'tool' }>;
    const script = this.scripts.get(method);
    if (script === undefined) throw new Error(`No script ${method}`);
    return script(context, input);
  }
}
