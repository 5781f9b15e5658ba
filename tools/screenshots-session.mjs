// How the parts of the screenshots sign in and call the API.

/** Signs in and returns the access token. */
export async function signIn(page, email, password) {
  await page.goto('/sign-in');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  const answer = page.waitForResponse((response) => response.url().endsWith('/api/auth/login'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  const { accessToken } = await (await answer).json();
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  return accessToken;
}

/** Calls the API as the user of the page, with its cookies. */
export function callApi(page, accessToken) {
  return async (method, path, data) => {
    const headers = { Authorization: `Bearer ${accessToken}` };
    const response = await page.request.fetch(path, { method, data, headers });
    if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${await response.text()}`);
    return response.json();
  };
}
