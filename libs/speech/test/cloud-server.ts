import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export const SECRET_ID = 'AKIDexampleexampleexample';
export const SECRET_KEY = 'secretsecretsecretsecret';

/** What the server received, after it has verified the signature. */
interface Received {
  EngSerViceType: string;
  SourceType: number;
  VoiceFormat: string;
  Data: string;
  DataLen: number;
}

/** A stand-in for the provider that verifies signatures as documented (TC3-HMAC-SHA256). */
export class CloudServer {
  readonly received: Received[] = [];
  readonly regions: unknown[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  /** Resolves when a client has given up a request while the server was silent. */
  readonly closed = Promise.withResolvers<void>();
  /** The error code of the next responses, or null for success. */
  failure: string | null = null;
  isSilent = false;
  /** Answers the next requests instead, whether they are signed or not. */
  answer: ((res: ServerResponse) => void) | null = null;
  private server: Server | null = null;

  constructor(private readonly credentials = { secretId: SECRET_ID, secretKey: SECRET_KEY }) {}

  /** Returns its host and port. */
  async start(): Promise<string> {
    this.server = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        if (this.isSilent) {
          res.once('close', () => this.closed.resolve());
          return;
        }
        const code = isSigned(req, body, this.credentials) ? this.failure : 'AuthFailure.SignatureFailure';
        this.received.push(JSON.parse(body) as Received);
        this.headers.push(req.headers);
        this.regions.push(req.headers['x-tc-region']);
        if (this.answer) {
          this.answer(res);
          return;
        }
        const RequestId = 'request-1';
        const response = code
          ? { Error: { Code: code, Message: `${body.slice(0, 50)} is wrong` }, RequestId }
          : { Result: '你好 world', AudioDuration: 1000, RequestId };
        res.setHeader('Content-Type', 'application/json');
        res.end(JSON.stringify({ Response: response }));
      });
    });
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

function isSigned(
  req: IncomingMessage,
  body: string,
  { secretId, secretKey }: { secretId: string; secretKey: string },
): boolean {
  const authorization = req.headers.authorization ?? '';
  const [, id, scope = '', names = '', signature] =
    /^TC3-HMAC-SHA256 Credential=([^/]+)\/(\S+), SignedHeaders=(\S+), Signature=(\w+)$/.exec(authorization) ??
    [];
  if (id !== secretId) return false;
  const headers = names.split(';').map((name) => {
    // The provider has no port, so the SDK signs the host without one.
    const value = String(req.headers[name]).replace(name === 'host' ? /:\d+$/ : /$^/, '');
    return `${name}:${value.toLowerCase()}\n`;
  });
  const request = ['POST', '/', '', headers.join(''), names, sha256(body)].join('\n');
  const [date = '', service = ''] = scope.split('/');
  const text = ['TC3-HMAC-SHA256', req.headers['x-tc-timestamp'], scope, sha256(request)].join('\n');
  const key = hmac(hmac(hmac(`TC3${secretKey}`, date), service), 'tc3_request');
  return hmac(key, text).toString('hex') === signature;
}
