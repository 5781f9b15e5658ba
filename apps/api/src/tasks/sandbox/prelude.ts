/**
 * The part of the sandbox that runs inside it, before the code: a function of the four host functions that returns
 * `start` and `settle`. It keeps the built-ins it uses, because the code can replace them. Limits as numbers.
 */
export function preludeOf({ valueBytes, logBytes }: { valueBytes: number; logBytes: number }): string {
  return `(function (hostLog, hostCall, hostFinish, hostRandom) {
  'use strict';
  Math.random = hostRandom;
  // When they grow, they show what earlier executions have left in the memory. No other thread could share them.
  delete globalThis.SharedArrayBuffer;
  delete globalThis.Atomics;
  const { parse, stringify } = JSON;
  const { assign } = Object;
  const { apply } = Reflect;
  const { then } = Promise.prototype;
  const { slice } = String.prototype;
  const { join } = Array.prototype;
  const Text = String, Failure = Error, Waiting = Promise, isError = (value) => value instanceof Failure;
  const calls = { __proto__: null };
  let lastCall = 0;

  function formatValue(value) {
    if (typeof value === 'string') return value;
    try {
      if (isError(value)) return Text(value);
      const json = typeof value === 'object' && value !== null ? stringify(value) : undefined;
      return json === undefined ? Text(value) : json;
    } catch {
      return '[a value that cannot be shown]';
    }
  }

  function log(...values) {
    const texts = [];
    for (let i = 0; i < values.length; i++) texts[i] = formatValue(values[i]);
    hostLog(apply(slice, apply(join, texts, [' ']), [0, ${logBytes}]));
  }

  function toJson(value, name) {
    let json;
    try {
      json = stringify(value);
    } catch (error) {
      throw new TypeError(name + ' must be JSON: ' + describe(error).message);
    }
    if (json === undefined) return null;
    if (json.length > ${valueBytes}) throw new RangeError(name + ' must have at most ${valueBytes} characters as JSON');
    return json;
  }

  function call(action, request) {
    const json = toJson(request, 'The request');
    // Made here, so that its stack names the line of the call.
    const failure = new Failure('');
    return new Waiting((resolve, reject) => {
      hostCall(++lastCall, action, json);
      calls[lastCall] = { resolve, reject, failure };
    });
  }

  function settle(id, error, json) {
    const { resolve, reject, failure } = calls[id];
    delete calls[id];
    if (error === null) return resolve(parse(json));
    reject(assign(failure, parse(error)));
  }

  function describe(error) {
    try {
      if (!isError(error)) return { message: 'The code threw ' + apply(slice, formatValue(error), [0, 1000]), stack: '' };
      const { name, message, stack } = error;
      const text = apply(slice, Text(message), [0, 4000]);
      return { message: name === 'Error' ? text : Text(name) + ': ' + text, stack: apply(slice, Text(stack), [0, 4000]) };
    } catch {
      return { message: 'The code threw a value that cannot be shown', stack: '' };
    }
  }

  function fail(error) {
    try {
      const { message, stack } = describe(error);
      hostFinish(false, message, stack);
    } catch {
      hostFinish(false, 'The code failed, and left no memory to describe how', '');
    }
  }

  const platform = {
    emit: (request) => call('emit', request),
    agents: { execute: (agentId, inputs = {}) => call('agent', { agentId, inputs }) },
    tools: {
      invoke: (toolId, method, input = {}, options = {}) =>
        call('tool', assign({}, options, { toolId, method, input })),
    },
  };
  const console = { log, info: log, debug: log, warn: log, error: log };

  function start(main, context) {
    const result = main(parse(context), platform, console);
    apply(then, result, [
      (output) => {
        try {
          hostFinish(true, toJson(output, 'The output'));
        } catch (error) {
          fail(error);
        }
      },
      fail,
    ]);
  }
  return { start, settle };
})`;
}
