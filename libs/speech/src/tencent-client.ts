import { randomUUID } from 'node:crypto';
import { asr } from 'tencentcloud-sdk-nodejs-asr';
import sign from 'tencentcloud-sdk-nodejs-common/tencentcloud/common/sign.js';
import type { CompleteSpeechConfig } from './config.ts';

/** The SDK's field for signed requests of version 3. */
const SIGN_METHOD = 'TC3-HMAC-SHA256';

/** A signed request. The signature covers the host of the address, `Content-Type`, and the bytes of the body. */
export interface SpeechFetchRequest {
  method: 'POST';
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer>;
  /** Aborts when the configured timeout has passed. */
  signal: AbortSignal;
  /** The configured timeout. */
  timeoutMs: number;
}

/** The part of a response that is read. */
export interface SpeechFetchResponse {
  status: number;
  headers: { get: (name: string) => string | null };
  json: () => unknown;
}

/**
 * Sends a request as it is, and returns its response. The global `fetch` has this type. It follows redirects and reads bodies of
 * any size: if the endpoint is not trusted, pass one that does neither.
 */
export type SpeechFetch = (url: string, request: SpeechFetchRequest) => Promise<SpeechFetchResponse>;

/** The SDK's client. With a `fetch`, the SDK signs requests and reads responses, but makes no connection. */
export class TencentClient extends asr.v20190614.Client {
  constructor(
    private readonly settings: CompleteSpeechConfig,
    private readonly signal: AbortSignal,
    private readonly fetch?: SpeechFetch,
  ) {
    const { secretId, secretKey, region, endpoint, protocol, timeout } = settings;
    super({
      credential: { secretId, secretKey },
      region,
      profile: {
        signMethod: SIGN_METHOD,
        httpProfile: {
          ...(endpoint !== undefined && { endpoint }),
          protocol: `${protocol}://`,
          // Whole seconds; the signal is exact.
          reqTimeout: Math.ceil(timeout / 1_000) + 1,
        },
      },
    });
  }

  /** All methods of the SDK's client call this one. */
  override async request(action: string, params: object): Promise<unknown> {
    const { fetch, settings, signal } = this;
    if (fetch === undefined) return super.request(action, params, { signal });
    const method = 'POST';
    const url = `${settings.protocol}://${this.endpoint}${this.path}`;
    // The SDK signs the bytes of a buffer, and these are sent.
    const body = Buffer.from(JSON.stringify(params));
    const timestamp = Math.floor(Date.now() / 1_000);
    const headers = {
      'Content-Type': 'application/json',
      'X-TC-Action': action,
      'X-TC-Region': settings.region,
      'X-TC-Timestamp': String(timestamp),
      'X-TC-Version': this.apiVersion,
      'X-TC-RequestClient': this.sdkVersion,
      'X-TC-TraceId': randomUUID(),
    };
    const Authorization = sign.default.sign3({
      method,
      url,
      payload: body,
      timestamp,
      service: this.endpoint.split('.')[0] ?? '',
      secretId: settings.secretId,
      secretKey: settings.secretKey,
      multipart: false,
      boundary: '',
      headers,
    });
    const response = await fetch(url, {
      method,
      headers: { ...headers, Authorization },
      body,
      signal,
      timeoutMs: settings.timeout,
    });
    // The SDK declares it as private, without a type.
    const parse = this['parseResponse'] as (response: SpeechFetchResponse) => Promise<unknown>;
    return parse.call(this, response);
  }
}
