/** Pauses before a file is asked for again. */
const PAUSES_MS = [400, 1_600];

/** Loads code, and asks again for what could not be loaded. */
export async function loadCode<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  for (const pause of PAUSES_MS) {
    try {
      return await load();
    } catch (error) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      await reloadStyle(error);
    }
  }
  return load();
}

/** Loads a style sheet that is missing: the bundler asks for each only once, and takes it for loaded then. */
async function reloadStyle(error: unknown): Promise<void> {
  const [, href] = /Unable to preload CSS for (\S+)/.exec(error instanceof Error ? error.message : '') ?? [];
  const links = document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]');
  const missing = [...links].find((link) => link.href === href || link.getAttribute('href') === href);
  if (missing === undefined) return;
  const again = missing.cloneNode() as HTMLLinkElement;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  for (const type of ['load', 'error'])
    again.addEventListener(type, () => resolve(undefined), { once: true });
  // Its place among the others decides what it outweighs.
  missing.replaceWith(again);
  await promise;
}

/** Whether the service has another version than the one that runs here: then the files of this one are gone. */
export async function hasNewVersion(): Promise<boolean> {
  const running = document.querySelector<HTMLScriptElement>('script[type=module][src]')?.getAttribute('src');
  if (running == null) return false;
  try {
    const response = await fetch('/', { cache: 'no-store', headers: { Accept: 'text/html' } });
    return response.ok && !(await response.text()).includes(running);
  } catch {
    return false;
  }
}
