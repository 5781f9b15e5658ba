import { INTL, LOCALIZED } from './localization.ts';
import { PRELUDE_BUILTINS } from './prelude-builtins.ts';

/**
 * The part of the sandbox that runs inside it, before the code: a function of the host functions that returns
 * `start` and `settle`. It keeps the built-ins it uses, because the code can replace them. Limits as numbers.
 */
export function preludeOf({ valueBytes, logBytes }: { valueBytes: number; logBytes: number }): string {
  return `(function (host) {
  'use strict';
  const { log: hostLog, call: hostCall, finish: hostFinish, begin: hostBegin, random, localize: hostLocalize, builtin: hostBuiltin, checkTime } = host;
  Math.random = random;
  // When they grow, they show what earlier executions have left in the memory. No other thread could share them.
  delete globalThis.SharedArrayBuffer;
  delete globalThis.Atomics;
  const { parse, stringify } = JSON;
  const { assign } = Object;
  const { apply } = Reflect;
  const { then } = Promise.prototype;
  const { slice } = String.prototype;
  const { join } = Array.prototype;
  const { isArray } = Array;
  const { getPrototypeOf, prototype: plain, entries, defineProperty, hasOwn } = Object;
  const { toString } = plain;
  const toArray = Array.from;
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

  /** What JSON makes of a value that it would empty in silence. Throws if that is nothing useful. */
  function toPlain(key, value) {
    if (typeof value === 'bigint') throw unfit(key, 'a BigInt: convert it with Number() or String()');
    if (typeof value !== 'object' || value === null || isArray(value)) return value;
    if (getPrototypeOf(value) === plain) return value;
    switch (apply(toString, value, [])) {
      case '[object Map]': {
        const fields = {};
        for (const [name, field] of toArray(value)) {
          if (typeof name !== 'string' && typeof name !== 'number') throw unfit(key, 'a Map whose keys are no texts');
          defineProperty(fields, name, { value: field, enumerable: true, configurable: true, writable: true });
        }
        return fields;
      }
      case '[object Set]':
        return toArray(value);
      case '[object Error]':
        return assign({ name: value.name, message: value.message }, value);
      case '[object Promise]':
        throw unfit(key, 'a promise: await it');
      case '[object RegExp]':
      case '[object WeakMap]':
      case '[object WeakSet]':
      case '[object WeakRef]':
      case '[object ArrayBuffer]':
      case '[object DataView]':
      case '[object URLSearchParams]':
        throw unfit(key, 'no JSON: ' + apply(slice, apply(toString, value, []), [8, -1]));
    }
    if (isView(value)) throw unfit(key, 'a typed array: convert it with Array.from() or to a text');
    return value;
  }

  const isView = ArrayBuffer.isView;
  const unfit = (key, what) => new TypeError((key === '' ? 'it' : '"' + key + '"') + ' is ' + what);

  function toJson(value, name) {
    let json;
    try {
      json = stringify(value, toPlain);
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
      hostFinish(false, 'The code threw, and left no memory to describe what', '');
    }
  }

  const data = (operation, applicationIdentifier, table, fields) =>
    call('data', assign({}, fields, { operation, applicationIdentifier, table }));
  const platform = {
    emit: (request) => call('emit', request),
    agents: { execute: (agentId, inputs = {}) => call('agent', { agentId, inputs }) },
    tools: {
      invoke: (toolId, method, input = {}, options = {}) =>
        call('tool', assign({}, options, { toolId, method, input })),
    },
    data: {
      find: (application, table, options = {}) => data('find', application, table, options),
      get: async (application, table, id) => (await data('get', application, table, { where: { id } })).rows[0],
      insert: async (application, table, values) => {
        const { rows } = await data('insert', application, table, { values });
        return isArray(values) ? rows : rows[0] ?? null;
      },
      update: async (application, table, id, values) =>
        (await data('update', application, table, { where: { id }, values })).rows[0] ?? null,
      delete: async (application, table, id) => {
        await data('delete', application, table, { where: { id } });
      },
    },
  };
  const console = { log, info: log, debug: log, warn: log, error: log };

  function localize(kind, locales, options, method, args) {
    checkTime();
    const plainArgs = [];
    for (let i = 0; i < args.length; i++) {
      const arg = args[i];
      plainArgs[i] = typeof arg === 'bigint' ? Text(arg) : arg instanceof Date ? +arg : arg;
    }
    const request = { kind, locales: locales ?? null, options: options ?? null, method, args: plainArgs };
    return parse(hostLocalize(stringify(request)));
  }

  const define = (target, name, value, enumerable = false) =>
    defineProperty(target, name, { value, writable: true, configurable: true, enumerable });

  define(globalThis, 'Intl', {});
  for (const [kind, methods] of entries(${JSON.stringify(INTL)})) {
    const Formatter = function (locales, options) {
      // Wrong locales and options fail here, as they do elsewhere.
      localize(kind, locales, options, 'resolvedOptions', []);
      for (const method of methods) {
        define(this, method, (...args) => {
          const [first] = args;
          const isNow = kind === 'DateTimeFormat' && first === undefined && method !== 'resolvedOptions';
          return localize(kind, locales, options, method, isNow ? [Date.now()] : args);
        });
      }
    };
    define(Formatter, 'name', kind);
    define(Intl, kind, Formatter);
  }
  for (const [kind, methods] of entries(${JSON.stringify(LOCALIZED)})) {
    for (const method of methods) {
      define(globalThis[kind].prototype, method, function (...args) {
        const value = kind === 'Date' ? +this : kind === 'BigInt' ? Text(this) : kind === 'Number' ? +this : Text(this);
        if (kind === 'Date' && value !== value) return 'Invalid Date';
        const given = method === 'localeCompare' ? [value, Text(args.shift())] : [value];
        return localize(kind, args[0], args[1], method, given);
      });
    }
  }

  assign(platform, ${PRELUDE_BUILTINS}({ hostBuiltin, checkTime, call, define, parse, stringify, assign, isView, Failure }));

  function start(main, context) {
    const given = parse(context);
    hostBegin();
    const result = main(given, platform, console);
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
