import { TestEnvironment } from 'jest-environment-jsdom';

/** What every browser has and jsdom lacks; Node has the same. Signals too, for Node's fetch takes no others. */
const OF_NODE = [
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

/** A page in jsdom, as far as the console's components need one. */
export default class BrowserEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    for (const name of OF_NODE) this.global[name] = globalThis[name];
    const { EventTarget } = this.global;
    this.global.matchMedia = (media) => Object.assign(new EventTarget(), { matches: false, media });
    // Components of antd ask for the width of scrollbars; jsdom knows no pseudo elements and says so each time.
    const { getComputedStyle } = this.global;
    this.global.getComputedStyle = (element) => getComputedStyle(element);
  }
}
