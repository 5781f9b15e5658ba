// Preloaded into the service processes of the fault tests, which otherwise run as in production: `tool` steps go to the sink.
import 'reflect-metadata';
import { ActionRegistry } from '../../src/tasks/action-registry.ts';
import { SinkAction } from './sink-action.ts';

const action = new SinkAction(process.env.FAULT_SINK_URL ?? '');
const get = Reflect.get(ActionRegistry.prototype, 'get') as ActionRegistry['get'];

ActionRegistry.prototype.get = function (kind) {
  return kind === 'tool' ? action : get.call(this, kind);
};
