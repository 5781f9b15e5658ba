/**
 * Whether a page of this origin may call. Browsers name the origin of a page, also of one whose name an attacker has pointed at
 * this server (DNS rebinding). Other clients send none.
 */
export function isAllowedOrigin(
  origin: string | undefined,
  { publicUrl, corsOrigins }: { publicUrl: string; corsOrigins: readonly string[] },
): boolean {
  if (origin === undefined) return true;
  const own = new URL(publicUrl);
  if (origin === own.origin || corsOrigins.includes(origin)) return true;
  return isLoopback(own.hostname) && URL.canParse(origin) && isLoopback(new URL(origin).hostname);
}

function isLoopback(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
