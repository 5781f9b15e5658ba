import type { WebhookAttemptOutcome } from '@platform/contracts';
import { SecretMask, type Secrets } from '../../models/port/secrets.ts';

/** Of the body of a response that is kept, after decompression. */
export const MAX_RESPONSE_BYTES = 2_048;

/** Reads the beginning of a body. Whatever happens to the rest of it does not matter. */
export async function readStart(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk.subarray(0, MAX_RESPONSE_BYTES - size));
      size += chunk.length;
      if (size >= MAX_RESPONSE_BYTES) break;
    }
  } catch {
    // The status has arrived, and says what became of the message.
  }
  return Buffer.concat(chunks);
}

/** How a server may write the webhook secret that it knows: also without padding, which JSON can escape, and as the bytes that it is. */
export function writtenForms(secret: string): string[] {
  const digits = secret.slice('whsec_'.length).replace(/=+$/, '');
  const bytes = Buffer.from(digits, 'base64');
  return [secret, digits, bytes.toString('base64url'), bytes.toString('hex')];
}

/**
 * The text of a body, which may be cut anywhere: without secrets, and without characters that act on a screen but those that
 * join others.
 */
export function toText(bytes: Buffer, secrets: Secrets): string {
  // Streaming leaves out half of a character at the end.
  const text = new TextDecoder().decode(bytes, { stream: true });
  const mask = new SecretMask(secrets);
  return `${mask.push(text)}${mask.end()}`
    .replaceAll('\r\n', '\n')
    .replace(/[^\P{C}\n\t\u200C\u200D]/gu, '\uFFFD');
}

export const isAccepted = (status: number) => status >= 200 && status < 300;

/** The status of an attempt that failed in the service itself. */
export const SERVICE_ERROR = 0;

/** Why an attempt failed, in short; null if the endpoint accepted the message. */
export function failureOf(status: number | null): string | null {
  if (status === null) return 'No response';
  if (status === SERVICE_ERROR) return 'Service error';
  return isAccepted(status) ? null : `HTTP ${status}`;
}

/** The same for an attempt that may not have ended, as a sentence. */
export function sentenceOf(outcome: WebhookAttemptOutcome, status: number | null): string | null {
  switch (outcome) {
    case 'RUNNING':
    case 'ACCEPTED':
      return null;
    case 'REFUSED':
      return status !== null && status >= 300 && status < 400
        ? `The server responded with ${status}. Redirects are not followed.`
        : `The server responded with ${status}. Only 2xx accepts a message.`;
    case 'NO_RESPONSE':
      return 'The server could not be reached, or did not respond within 15 seconds.';
    case 'SERVICE_ERROR':
      return 'The service failed to send the message. Its log says why.';
    case 'INTERRUPTED':
      return 'The attempt was interrupted. The server may have received the message.';
  }
}
