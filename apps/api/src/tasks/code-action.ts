import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ActionRegistry, type Action, type ActionContext } from './action-registry.ts';

/** Steps of kind `code`: JavaScript in a sandbox. */
@Injectable()
export class CodeAction implements Action, OnModuleInit {
  readonly kind = 'code';

  constructor(private readonly actions: ActionRegistry) {}

  onModuleInit(): void {
    this.actions.register(this);
  }

  /** The source refers to nothing that could be checked before it runs. */
  validate(): Promise<string[]> {
    return Promise.resolve([]);
  }

  run({ step }: ActionContext): Promise<unknown> {
    return Promise.reject(new Error(`The sandbox for step ${step.id} is not there yet`));
  }
}
