/** Code that verifies a webhook in Node.js, without a library. `verify-code.spec.ts` runs it. */
export const VERIFY_CODE = `import { createHmac, timingSafeEqual } from 'node:crypto';

const secret = process.env.PLATFORM_WEBHOOK_SECRET.replace(/^whsec_/, '');
const key = Buffer.from(secret, 'base64');

/** Returns the message, or throws. \`body\` is the text of the request, before it is parsed. */
export function verifyWebhook(headers, body) {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(age < 300)) throw new Error('The webhook is older than five minutes');

  const expected = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\${body}\`).digest();
  // After a rotation there are two signatures, separated by a space.
  const isGenuine = (headers['webhook-signature'] ?? '').split(' ').some((entry) => {
    const [version, signature = ''] = entry.split(',');
    const given = Buffer.from(signature, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isGenuine) throw new Error('The signature is wrong');
  return JSON.parse(body);
}
`;
