import type { Action, ActionRegistry } from '../../src/tasks/definition/action.registry.ts';

/** Makes a registry return this action for the steps of its kind, in place of the real one. */
export function replaceAction(registry: ActionRegistry, action: Action & { kind: string }): void {
  const get = registry.get.bind(registry);
  registry.get = (kind) => (kind === action.kind ? action : get(kind));
}
