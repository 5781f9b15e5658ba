// The page of the API reference, in the browser: signs in through the session of the console, and shows ids of the space.
/* global customElements, document, fetch, location, matchMedia, setInterval */
const RENEW_MS = 10 * 60_000;
const viewer = document.querySelector('rapi-doc');

/** The viewer has no automatic theme, and its navigation needs 768 px: without it, all operations are in one list. */
const follow = (query, attribute, yes, no) => {
  const media = matchMedia(query);
  const set = () => viewer.setAttribute(attribute, media.matches ? yes : no);
  media.addEventListener('change', set);
  set();
};
const DARK = '(prefers-color-scheme: dark)';
follow(DARK, 'theme', 'dark', 'light');
// The colors of the console.
follow(DARK, 'bg-color', '#141414', '#ffffff');
follow(DARK, 'nav-bg-color', '#1d1d1d', '#fafafa');
follow(DARK, 'nav-text-color', '#d9d9d9', '#434343');
follow(DARK, 'nav-hover-bg-color', '#2a2a2a', '#f0f0f0');
follow(DARK, 'nav-hover-text-color', '#ffffff', '#000000');
follow('(min-width: 768px)', 'render-style', 'focused', 'view');

const json = async (path, init) => {
  const response = await fetch(path, init).catch(() => null);
  return response?.ok ? response.json() : null;
};

const signIn = () =>
  json('/api/auth/refresh', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
  });

/** Ids of the space, by those that stand for them in the examples. */
const findIds = async ({ lists, account }, { accessToken, user, space }) => {
  const headers = { Authorization: `Bearer ${accessToken}` };
  const found = await Promise.all(
    Object.entries(lists).map(async ([placeholder, path]) => {
      const page = await json(path, { headers });
      return [placeholder, page?.items?.find(({ id }) => /^[0-9a-f-]{36}$/.test(id))?.id];
    }),
  );
  return [...found, [account.userId, user.id], [account.spaceId, space.id], [account.email, user.email]];
};

const [reference, session] = await Promise.all([json('/api/docs/document.json'), signIn()]);
if (reference === null) {
  document.querySelector('[slot=overview]').textContent =
    'The API document could not be loaded. Reload the page.';
} else {
  let text = JSON.stringify(reference.document).replaceAll(reference.origin, location.origin);
  if (session !== null)
    for (const [placeholder, id] of await findIds(reference, session))
      if (id) text = text.replaceAll(placeholder, () => JSON.stringify(id).slice(1, -1));
  const use = ({ accessToken }) => viewer.setApiKey('bearer', accessToken);
  viewer.addEventListener('spec-loaded', () => session && use(session));
  await customElements.whenDefined('rapi-doc');
  await viewer.loadSpec(JSON.parse(text));
  document.querySelector('#signed-out').hidden = session !== null;
  if (session !== null)
    setInterval(async () => {
      const renewed = await signIn();
      if (renewed !== null) use(renewed);
    }, RENEW_MS);
}
