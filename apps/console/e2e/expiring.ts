import type { BrowserContext, Page, Request } from 'playwright-core';
import type { TestApp } from '../../api/e2e/harness/app.ts';

const SAVES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** What pages ask for by themselves, with the method of a save. */
const IS_READ = /\/(status|preview|search)$/;

/** Where sessions end. */
const contexts = new WeakSet<BrowserContext>();

/** What a browser says of a response with 401, and of a stream that ends with its session: no complaints where sessions end. */
export function isOfExpiry(page: Page, message: string): boolean {
  return contexts.has(page.context()) && /status of 401|ERR_INCOMPLETE_CHUNKED_ENCODING/.test(message);
}

/**
 * Lets the session of a person end at every save, after the click and before the service receives it, and signs in again
 * over the page. What was entered is then sent once more, by itself.
 */
export class ExpiringSessions {
  /** Saves for which nobody was asked to sign in. */
  readonly unasked: string[] = [];
  private readonly ended = new Set<string>();
  /** Saves that wait for a new session. */
  private waiting = 0;
  private readonly signIns = new Map<Page, Promise<void>>();

  constructor(
    private readonly app: TestApp,
    private readonly password: string,
  ) {}

  async watch(context: BrowserContext): Promise<void> {
    contexts.add(context);
    // Pages in other tabs look for the new session when they receive the focus, which they never do in a test.
    await context.addInitScript(() => setInterval(() => window.dispatchEvent(new Event('focus')), 1_000));
    await context.route('**/api/**', async (route) => {
      const sessionId = sessionIdOf(route.request());
      if (sessionId !== null && isSave(route.request())) await this.end(sessionId, route.request());
      await route.fallback();
    });
  }

  /** Call before the pages are closed. */
  async settle(): Promise<void> {
    await Promise.all(this.signIns.values());
    this.waiting = 0;
  }

  private async end(sessionId: string, save: Request): Promise<void> {
    const isRepeated = this.waiting > 0 && !this.ended.has(sessionId);
    this.waiting += isRepeated ? -1 : 1;
    if (isRepeated || this.ended.has(sessionId)) return;
    this.ended.add(sessionId);
    await this.app.sql('update refresh_session set revoked_at = clock_timestamp() where id = $1', [
      sessionId,
    ]);
    // More sign-ins than are allowed.
    await this.app.sql('delete from rate_window');
    const page = save.frame().page();
    const signIn = signInAgain(page, this.password).catch((error: unknown) => {
      if (!page.isClosed()) this.unasked.push(`${save.method()} ${save.url()}: ${String(error)}`);
    });
    this.signIns.set(page, signIn);
    void signIn.then(() => this.signIns.delete(page));
  }
}

async function signInAgain(page: Page, password: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: /^(Sign in again|请重新登录)$/ });
  const field = dialog.locator('input[type="password"]');
  await field.waitFor({ timeout: 20_000 });
  await field.fill(password);
  await field.press('Enter');
  await dialog.waitFor({ state: 'hidden' });
}

const isSave = (request: Request): boolean => SAVES.has(request.method()) && !IS_READ.test(request.url());

/** Null without a session of the console. */
function sessionIdOf(request: Request): string | null {
  const [, payload] = /^Bearer [\w-]+\.([\w-]+)\./.exec(request.headers().authorization ?? '') ?? [];
  if (payload === undefined) return null;
  const { sid } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sid?: string };
  return sid ?? null;
}
