// Pages that need other users: invitations, a temporary password.
import { callApi, signIn } from './screenshots-session.mjs';

const PASSWORD = 'a password for screenshots';

/** Takes screenshots as an admin who invites members, and as a user with a temporary password. */
export async function shootPeople(browser, options, shootOf) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const shoot = shootOf(page);
  const admin = callApi(page, await signIn(page, process.env.PLATFORM_EMAIL, process.env.PLATFORM_PASSWORD));
  const mark = Date.now().toString(36);
  const sam = { email: `sam-${mark}@example.com`, name: 'Sam Rivers', role: 'MEMBER', password: PASSWORD };
  await admin('POST', '/api/members', sam);
  const temporary = await admin('POST', '/api/members', {
    email: `tia-${mark}@example.com`,
    name: 'Tia New',
    role: 'MEMBER',
  });
  const key = await admin('POST', '/api/api-keys', {
    name: `Billing service ${mark}`,
    scopes: ['invoke', 'use'],
  });

  await page.goto('/settings/members');
  await shoot('members-installation-admin');
  await page
    .getByRole('switch', { name: /^Sam Rivers/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'Appoint' }).waitFor();
  await shoot('member-appoint');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await openUserMenu(page);
  await page.getByText('Change password').click();
  await page.getByText(key.name).waitFor();
  await page.getByText(key.name).click();
  await shoot('password');
  await page.getByRole('button', { name: 'Cancel' }).click();

  const samsContext = await browser.newContext(options);
  const samsPage = await samsContext.newPage();
  const first = callApi(samsPage, await signIn(samsPage, sam.email, PASSWORD));
  const space = await first('POST', '/api/spaces', { name: 'Rivers & Partners' });
  const moved = await first('POST', '/api/auth/refresh', { spaceId: space.id });
  const invite = callApi(samsPage, moved.accessToken);
  await invite('POST', '/api/members', { email: process.env.PLATFORM_EMAIL, role: 'ADMIN' });
  await invite('POST', '/api/members', {
    email: 'somebody.with.a.long.name@corporation.example',
    role: 'MEMBER',
  });
  await samsPage.goto('/settings/members');
  await samsPage.getByText('Pending invitations').waitFor();
  await shootOf(samsPage)('members-invitations');
  await samsPage.getByRole('button', { name: 'Invite member' }).click();
  await samsPage.getByRole('dialog').waitFor();
  await shootOf(samsPage)('member-invite');
  await samsContext.close();

  await page.goto('/agents');
  await page.getByText('Rivers & Partners').first().waitFor();
  await shoot('invitation');
  await page.getByRole('button', { name: 'Decline the invitation to Rivers & Partners' }).click();
  await shoot('invitation-decline');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Accept the invitation to Rivers & Partners' }).click();
  await page.getByRole('button', { name: 'Go to Rivers & Partners' }).waitFor();
  await shoot('invitation-accepted');
  await context.close();

  const newContext = await browser.newContext(options);
  const newPage = await newContext.newPage();
  await newPage.goto('/sign-in');
  await newPage.getByLabel('Email').fill(temporary.user.email);
  await newPage.getByLabel('Password', { exact: true }).fill(temporary.temporaryPassword);
  await newPage.getByRole('button', { name: 'Sign in' }).click();
  await newPage.getByText('Choose your password').waitFor();
  await shootOf(newPage)('temporary-password');
  await newContext.close();
}

async function openUserMenu(page) {
  const navigation = page.getByRole('button', { name: 'Open navigation' });
  if (await navigation.isVisible()) await navigation.click();
  await page.getByRole('button', { name: /^Account / }).click();
  await page.getByRole('menu').waitFor();
}
