import { afterEach, expect, it } from '@jest/globals';
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { Drawer, Form, Input } from 'antd';
import { useState } from 'react';
import { createMemoryRouter, Outlet, RouterProvider, useNavigate } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { forgetInput, hasUnsavedInput, useUnsavedInput } from '../browser/unsaved-input.ts';
import { NewSecret } from '../code/new-secret.tsx';
import { useDrawerParam } from '../url/use-drawer-param.ts';
import { LeaveGuard } from './leave-guard.tsx';
import { useGuardedClose } from './use-guarded-close.ts';
import { usePageForm } from './use-page-form.ts';

afterEach(cleanup);

interface Values {
  note: string;
}

/** A page with a form, which opens a drawer with another one. */
function Page() {
  const { formProps } = usePageForm<Values>({
    initial: { note: '' },
    fields: ['note'],
    saved: false,
    onSubmit: () => Promise.resolve(),
  });
  const [shown, open, close] = useDrawerParam('drawer');
  const [isDialogOpen, setDialogOpen] = useState(false);
  return (
    <>
      <Form<Values> {...formProps} name="page">
        <Form.Item name="note" label="Page note">
          <Input />
        </Form.Item>
      </Form>
      <button onClick={() => open('new')}>Open</button>
      <button onClick={() => setDialogOpen(true)}>Open without a place in the URL</button>
      {shown !== undefined && <NoteDrawer onClose={close} />}
      {isDialogOpen && <NoteDrawer onClose={() => setDialogOpen(false)} />}
    </>
  );
}

function NoteDrawer({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [form] = Form.useForm<Values>();
  const { close, leave, release } = useGuardedClose(() => form.isFieldsTouched(), onClose);
  return (
    <Drawer open onClose={close} title="Drawer">
      <Form<Values> form={form} name="drawer">
        <Form.Item name="note" label="Drawer note">
          <Input />
        </Form.Item>
      </Form>
      <button onClick={leave}>Save</button>
      <button
        onClick={() => {
          release();
          void navigate('/other');
        }}
      >
        Save and go on
      </button>
    </Drawer>
  );
}

/** Belongs to the part `note` of the URL. */
function PartOfPage() {
  useUnsavedInput('?note', () => true);
  return <p>Part of a page</p>;
}

function SecretPage() {
  return <NewSecret value="sk_only_once" label="Copy key" warning="Copy it now" />;
}

async function show() {
  const layout = (
    <>
      <LeaveGuard />
      <Outlet />
    </>
  );
  const children = [
    { path: '/', element: <Page /> },
    { path: '/other', element: <p>Other page</p> },
    { path: '/part', element: <PartOfPage /> },
    { path: '/secret', element: <SecretPage /> },
  ];
  const router = createMemoryRouter([{ element: layout, children }], {
    initialEntries: ['/other', '/'],
    initialIndex: 1,
  });
  const user = await renderInApp(<RouterProvider router={router} />);
  return {
    user,
    router,
    go: (to: string | number) => act(() => router.navigate(to as string)),
    openDrawer: async () => {
      fireEvent.click(screen.getByText('Open'));
      await screen.findByLabelText('Drawer note');
    },
  };
}

const type = (label: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value: 'hours' } });
const valueOf = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value;
const questions = () => document.querySelectorAll('.ant-modal-confirm').length;
/** Answers the only question, and waits until it is gone. */
async function answer(user: Awaited<ReturnType<typeof renderInApp>>, text: 'Stay' | 'Leave'): Promise<void> {
  const button = await screen.findByRole('button', { name: text });
  await user.click(button);
  await waitFor(() => expect(questions()).toBe(0));
}

it('asks before Back closes a filled drawer', async () => {
  const { user, router, go, openDrawer } = await show();
  await openDrawer();
  await go(-1);
  expect(router.state.location.search).toBe('');
  expect(questions()).toBe(0);

  await openDrawer();
  type('Drawer note');
  await go(-1);
  await answer(user, 'Stay');
  expect([router.state.location.search, valueOf('Drawer note')]).toEqual(['?drawer=new', 'hours']);
  await go(-1);
  await answer(user, 'Leave');
  await waitFor(() => expect(screen.queryByLabelText('Drawer note')).toBeNull());
  expect(router.state.location).toMatchObject({ pathname: '/', search: '' });
});

it('asks once for a page and its drawer, whichever is filled', async () => {
  const { user, router, go, openDrawer } = await show();
  type('Page note');
  // Nothing of the page is lost with a drawer.
  await openDrawer();
  await go(-1);
  await waitFor(() => expect(router.state.location.search).toBe(''));
  expect(questions()).toBe(0);
  // The drawer that was mounted last, and has gone, does not turn off the question for the page.
  await go('/other');
  await answer(user, 'Stay');
  expect(valueOf('Page note')).toBe('hours');
  // An empty drawer above it does not, either.
  await openDrawer();
  await go('/other');
  await answer(user, 'Stay');
  type('Drawer note');
  await go('/other');
  await waitFor(() => expect(questions()).toBe(1));
  await answer(user, 'Leave');
  await screen.findByText('Other page');
  expect(hasUnsavedInput()).toBe(false);
});

it('asks nothing after a save, whether it closes the drawer or opens a page', async () => {
  const { router, openDrawer } = await show();
  await openDrawer();
  type('Drawer note');
  await act(async () => screen.getByText('Save').click());
  await waitFor(() => expect(router.state.location.search).toBe(''));
  await openDrawer();
  type('Drawer note');
  await act(async () => screen.getByText('Save and go on').click());
  await screen.findByText('Other page');
  expect(questions()).toBe(0);
});

it('asks before the page is left of a dialog that has no place in the URL', async () => {
  const { user, router, go } = await show();
  fireEvent.click(screen.getByText('Open without a place in the URL'));
  await screen.findByLabelText('Drawer note');
  type('Drawer note');
  await go(-1);
  await answer(user, 'Stay');
  expect([router.state.location.pathname, valueOf('Drawer note')]).toEqual(['/', 'hours']);
});

it('does not ask when something else opens above a filled drawer', async () => {
  const { router, go, openDrawer } = await show();
  await openDrawer();
  type('Drawer note');
  await go('/?drawer=new&tab=more');
  expect(router.state.location.search).toBe('?drawer=new&tab=more');
  expect(questions()).toBe(0);
});

it('has the browser ask before the tab is closed', async () => {
  const { openDrawer } = await show();
  const isHeld = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
  await openDrawer();
  expect(isHeld()).toBe(false);
  type('Drawer note');
  expect(isHeld()).toBe(true);
});

it('takes back its question when a drawer goes away', async () => {
  const { openDrawer, router } = await show();
  await openDrawer();
  type('Drawer note');
  fireEvent.click(screen.getByLabelText('Close'));
  await waitFor(() => expect(questions()).toBe(1));
  await act(async () => screen.getByText('Save').click());
  await waitFor(() => expect(questions()).toBe(0));
  expect(router.state.location.search).toBe('');
});

it('asks nothing about what was entered for something that was deleted', async () => {
  const { go } = await show();
  type('Page note');
  act(forgetInput);
  await go('/other');
  await screen.findByText('Other page');
  expect(questions()).toBe(0);
});

it('asks before a secret is lost that was not copied', async () => {
  const { user, router, go } = await show();
  await go('/secret');
  await screen.findByText('sk_only_once');
  await go(-1);
  await answer(user, 'Stay');
  expect(router.state.location.pathname).toBe('/secret');
  // jsdom has no such command.
  const command = Object.assign(document, { execCommand: () => true });
  await user.click(screen.getByRole('button', { name: 'Copy key' }));
  await screen.findByRole('button', { name: 'Copied' });
  Reflect.deleteProperty(command, 'execCommand');
  await go('/other');
  await screen.findByText('Other page');
  expect(questions()).toBe(0);
});

it('knows that a secret was copied by hand', async () => {
  const { go } = await show();
  await go('/secret');
  fireEvent.copy(await screen.findByText('sk_only_once'));
  await go('/other');
  await screen.findByText('Other page');
  expect(questions()).toBe(0);
});

it('asks about what belongs to a part of the URL when that part changes, and no other', async () => {
  const { user, router, go } = await show();
  await go('/part?note=1&panel=open');
  await screen.findByText('Part of a page');
  await go('/part?note=1');
  expect(router.state.location.search).toBe('?note=1');
  expect(questions()).toBe(0);
  await go('/part?note=2');
  await answer(user, 'Leave');
  expect(router.state.location.search).toBe('?note=2');
  act(forgetInput);
});
