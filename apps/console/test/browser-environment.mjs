import { TestEnvironment } from 'jest-environment-jsdom';

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

const LENGTH = /^(padding|border)-(top|bottom)(-width)?$/;

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

/** jsdom with everything that the components of the console need. */
export default class BrowserEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    for (const name of NODE_GLOBALS) this.global[name] = globalThis[name];
    // Ports of Node.js would keep the process alive.
    this.global.MessageChannel = TaskChannel;
    this.global.ResizeObserver = NoResizes;
    const { EventTarget } = this.global;
    this.global.matchMedia = (media) => Object.assign(new EventTarget(), { matches: false, media });
    // antd measures the width of scrollbars, but jsdom does not implement pseudo-elements.
    const { getComputedStyle } = this.global;
    this.global.getComputedStyle = (element) => withLengths(getComputedStyle(element));
  }
}
