/** Returns a new session id. The session is created with its first message. Works without HTTPS, unlike randomUUID. */
export function createSessionId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `play-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
