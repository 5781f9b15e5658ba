/** @jest-environment node */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { VERIFY_CODE } from './verify-code.ts';

// Signed by the library of Standard Webhooks.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const SENT = 1_700_000_000;
const BODY = '{"type":"agent-job.completed"}';
const SIGNATURE = 'v1,ixIBXwfHq1cGqs9zdgYKS7+kdISkgLqZW1BzLWaGOuI=';
const OTHER = `v1,${'A'.repeat(43)}=`;

/** Runs the code in a process of its own, as a receiver does. Returns the type of the message or the error. */
function verify({ signature = SIGNATURE, body = BODY, seconds = 10 } = {}): string {
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(SENT),
    'webhook-signature': signature,
  };
  const use = `
    Date.now = () => ${(SENT + seconds) * 1_000};
    try {
      console.log(verifyWebhook(${JSON.stringify(headers)}, ${JSON.stringify(body)}).type);
    } catch (error) {
      console.log(error.message);
    }`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', VERIFY_CODE + use], {
    env: { ...process.env, NODE_OPTIONS: '', PLATFORM_WEBHOOK_SECRET: SECRET },
    encoding: 'utf8',
  }).trim();
}

describe('the code that verifies a webhook', () => {
  it('accepts what the secret has signed, also beside another signature', () => {
    expect(verify()).toBe('agent-job.completed');
    expect(verify({ signature: `${OTHER} ${SIGNATURE}` })).toBe('agent-job.completed');
  });

  it.each([
    ['another signature', { signature: OTHER }],
    ['no signature', { signature: '' }],
    ['a short signature', { signature: 'v1,ixIB' }],
    ['another version', { signature: SIGNATURE.replace('v1', 'v2') }],
    ['a changed body', { body: BODY.replace('completed', 'failed') }],
  ])('rejects %s', (_, change) => {
    expect(verify(change)).toBe('The signature is wrong');
  });

  it('rejects an old message', () => {
    expect(verify({ seconds: 301 })).toBe('The webhook is older than five minutes');
  });
});
