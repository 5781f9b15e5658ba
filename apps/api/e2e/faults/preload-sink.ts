// Preloaded into the service processes of the fault tests, which otherwise run as in production: `tool` steps go to the sink.
import 'reflect-metadata';
import { ActionRegistry, type Action } from '../../src/tasks/definition/action.registry.ts';
import { SinkAction } from './sink-action.ts';

const action = new SinkAction(process.env.FAULT_SINK_URL ?? '');
// Called with its own `this` below.
const get: (this: ActionRegistry, kind: string) => Action | null = Reflect.get(
  ActionRegistry.prototype,
  'get',
);

ActionRegistry.prototype.get = function (kind) {
  return kind === 'tool' ? action : get.call(this, kind);
};
