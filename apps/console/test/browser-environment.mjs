import { TestEnvironment } from 'jest-environment-jsdom';
import Environment from '../../../tools/jest/environment.mjs';
import './browser-modules.mjs';

/** Globals that jsdom lacks. Node.js has the same, and its fetch accepts only its own signals. */
const NODE_GLOBALS = [
  'AbortController',
  'AbortSignal',
  'BroadcastChannel',
  'Headers',
  'ReadableStream',
  'Request',
  'Response',
  'TextDecoder',
  'TextDecoderStream',
  'TextEncoder',
  'TransformStream',
  'WritableStream',
  'fetch',
  'structuredClone',
];

/** Globals of Node.js, too, of which components need those of jsdom. */
const BROWSER_GLOBALS = [
  'Blob',
  'CloseEvent',
  'CustomEvent',
  'DOMException',
  'Event',
  'EventTarget',
  'File',
  'FormData',
  'MessageChannel',
  'MessageEvent',
  'Storage',
  'URL',
  'URLSearchParams',
  'localStorage',
  'navigator',
  'sessionStorage',
];

const LENGTH = /^(padding|border)-(top|bottom)(-width)?$/;

// It registers its cleanup with the file that loads it first, and is loaded once per worker.
process.env.RTL_SKIP_AUTO_CLEANUP = 'true';

/** Delivers messages in a later task. Components use message channels only to schedule work. */
class TaskChannel {
  port1 = {};
  port2 = { postMessage: () => void setTimeout(() => this.port1.onmessage?.()) };
}

/** Elements have no size in jsdom, so it never changes. */
class NoResizes {
  observe() {}
  unobserve() {}
  disconnect() {}
}

/** Text areas add up lengths that jsdom does not compute, and nothing is a valid height then. */
function withLengths(style) {
  const read = style.getPropertyValue.bind(style);
  style.getPropertyValue = (name) => {
    const value = read(name);
    return LENGTH.test(name) && Number.isNaN(parseFloat(value)) ? '0px' : value;
  };
  return style;
}

/** The window of jsdom with everything that the components of the console need. */
function createWindow(config, context) {
  const { global: window } = new TestEnvironment(config, context);
  for (const name of NODE_GLOBALS) window[name] = globalThis[name];
  // Ports of Node.js would keep the process alive.
  window.MessageChannel = TaskChannel;
  window.ResizeObserver = NoResizes;
  const { EventTarget } = window;
  window.matchMedia = (media) => Object.assign(new EventTarget(), { matches: false, media });
  // antd measures the width of scrollbars, but jsdom does not implement pseudo-elements.
  const { getComputedStyle } = window;
  window.getComputedStyle = (element) => withLengths(getComputedStyle(element));
  return window;
}

/** Makes what the window has, and Node.js does not, global. */
function install(window) {
  for (const name of Object.getOwnPropertyNames(window)) {
    if (name in globalThis && !BROWSER_GLOBALS.includes(name)) continue;
    Object.defineProperty(globalThis, name, {
      configurable: true,
      enumerable: true,
      get: () => window[name],
      set(value) {
        window[name] = value;
      },
    });
  }
}

/** One per worker: what was loaded keeps what it has found there, and React may still work when its file has ended. */
let window;

/** The worker itself, with a browser around it: what it loads, such as React and antd, serves all files. */
export default class BrowserEnvironment extends Environment {
  #globals = Object.fromEntries(NODE_GLOBALS.map((name) => [name, globalThis[name]]));

  constructor(config, context) {
    super(config, context);
    if (window !== undefined) return;
    window = createWindow(config, context);
    install(window);
  }

  async setup() {
    globalThis.IS_REACT_ACT_ENVIRONMENT = true;
    this.cleanup = (await import('@testing-library/react')).cleanup;
  }

  handleTestEvent(event, state) {
    super.handleTestEvent(event, state);
    if (event.name === 'test_done') this.cleanup();
  }

  async teardown() {
    const { document, history, localStorage, sessionStorage } = window;
    document.body.replaceChildren();
    localStorage.clear();
    sessionStorage.clear();
    history.replaceState(null, '', '/');
    Object.assign(globalThis, this.#globals);
    // jsdom has none; a file that needs some defines them.
    delete window.navigator.locks;
    await super.teardown();
  }
}
