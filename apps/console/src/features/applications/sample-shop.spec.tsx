import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ApiPromise, PlatformConnectionError, PlatformError } from '@platform/client';
import type { ApplicationDetail, ApplicationManifest, Envelope } from '@platform/contracts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client, keys } from '../../api.ts';
import { SAMPLE_EVENTS } from './sample-manifest.ts';
import { SampleShopOffer } from './sample-shop-offer.tsx';
import { SampleShopRest } from './sample-shop-rest.tsx';
import { SAMPLE_COUNT } from './sample-shop.ts';

afterEach(cleanup);

/** A service with one space. A call that is in `lost` takes effect, but its response does not arrive; one in `refused` does not. */
class Service {
  readonly applications: ApplicationDetail[] = [];
  readonly envelopes: { key: string; application: string; event: string }[] = [];
  readonly lost: string[] = [];
  readonly refused: string[] = [];

  install(manifest: ApplicationManifest): ApplicationDetail {
    this.maybeRefuse('install');
    const { identifier } = manifest;
    const found = this.applications.findIndex((one) => one.identifier === identifier);
    if (this.applications[found]?.installed === true) throw failure(409, 'CONFLICT');
    const installedAt = `2026-01-01T00:00:0${this.envelopes.length}.000Z`;
    const application = { identifier, installed: true, installedAt, manifest } as ApplicationDetail;
    this.applications.splice(found === -1 ? this.applications.length : found, 1, application);
    this.maybeLose('install');
    return application;
  }

  emit(application: string, event: string, idempotencyKey: string | null | undefined): void {
    const number = `event ${this.envelopes.length + 1}`;
    this.maybeRefuse(number);
    const key = `${application} ${event} ${idempotencyKey}`;
    if (!this.envelopes.some((one) => one.key === key)) this.envelopes.push({ key, application, event });
    this.maybeLose(number);
  }

  private maybeRefuse(call: string): void {
    if (take(this.refused, call)) throw failure(500, 'SERVER_ERROR');
  }

  private maybeLose(call: string): void {
    if (take(this.lost, call)) throw new PlatformConnectionError('The connection was lost');
  }
}

function take(calls: string[], call: string): boolean {
  const at = calls.indexOf(call);
  if (at === -1) return false;
  calls.splice(at, 1);
  return true;
}

function failure(status: number, code: 'CONFLICT' | 'SERVER_ERROR'): PlatformError {
  return new PlatformError({ status, code, message: code, requestId: null, turnId: null, retryAfter: null });
}

function answer<T>(decide: () => T): ApiPromise<T> {
  return new ApiPromise(
    Promise.resolve().then(() => ({ data: decide(), response: new Response(), requestId: null })),
  );
}

let service: Service;
beforeEach(() => {
  service = new Service();
  const { applications, events } = client;
  const page = <T,>(items: T[]) => Promise.resolve({ items, nextCursor: null });
  jest.spyOn(applications, 'list').mockImplementation((() => page(service.applications)) as never);
  jest.spyOn(applications, 'get').mockImplementation((identifier) =>
    answer(() => {
      const found = service.applications.find((one) => one.identifier === identifier);
      if (found === undefined) throw new Error(`${identifier} is not there`);
      return found;
    }),
  );
  jest
    .spyOn(applications, 'install')
    .mockImplementation((manifest) =>
      answer(() => ({ application: service.install(manifest), systemKey: 'app_1' })),
    );
  jest.spyOn(events, 'emitTest').mockImplementation((application, event, { idempotencyKey }) =>
    answer(() => {
      service.emit(application, event, idempotencyKey);
      return {} as never;
    }),
  );
  jest
    .spyOn(events, 'envelopes')
    .mockImplementation((({ applicationIdentifier }: { applicationIdentifier: string }) =>
      page(
        service.envelopes.filter(
          ({ application }) => application === applicationIdentifier,
        ) as unknown as Envelope[],
      )) as never);
});

async function show(element = <SampleShopOffer />, role: 'ADMIN' | 'MEMBER' = 'ADMIN') {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryData(keys.session, { user: { id: 'u' }, space: { id: 's', name: 'Shop', role } });
  const router = createMemoryRouter([
    { path: '/', element: <main>{element}</main> },
    { path: '*', element: <p>elsewhere</p> },
  ]);
  const user = await renderInApp(
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return { user, at: () => router.state.location.pathname };
}

const LOAD = { name: 'Load the sample shop' };
const EMITTED = ['order.created', 'order.paid', 'order.paid'];
const emitted = () => service.envelopes.map(({ event }) => event);

describe('the sample shop', () => {
  it('is loaded by one click, which leads to the log', async () => {
    const { user, at } = await show();
    await user.click(await screen.findByRole('button', LOAD));
    await waitFor(() => expect(at()).toBe('/events/log'));
    screen.getByText(/The sample shop is loaded/);
    expect(service.applications.map(({ identifier }) => identifier)).toEqual(['sample-shop']);
    expect(emitted()).toEqual(EMITTED);
    expect(SAMPLE_EVENTS).toHaveLength(SAMPLE_COUNT);
  });

  it.each([
    ['the installation fails', 'refused', 'install', /Nothing was created/, 0],
    ['its response is lost', 'lost', 'install', /sample-shop is installed .* and 0 of 3 events/, 0],
    ['an event fails', 'refused', 'event 2', /sample-shop is installed .* and 1 of 3 events/, 1],
    [
      'the response of an event is lost',
      'lost',
      'event 2',
      /sample-shop is installed .* and 1 of 3 events/,
      2,
    ],
  ] as const)(
    'says what exists if %s, and is completed without doubling anything',
    async (_, how, call, text, present) => {
      service[how].push(call);
      const { user, at } = await show();
      await user.click(await screen.findByRole('button', LOAD));
      const dialog = await screen.findByRole('dialog', { name: 'The sample shop is not complete' });
      await within(dialog).findByText(text);
      expect(emitted()).toHaveLength(present);
      await user.click(within(dialog).getByRole('button', { name: 'Try again' }));
      await waitFor(() => expect(at()).toBe('/events/log'));
      expect(service.applications).toHaveLength(1);
      expect(emitted()).toEqual(EMITTED);
    },
  );

  it('says that it does not know what exists if that cannot be found out', async () => {
    service.refused.push('install');
    const { user } = await show();
    const button = await screen.findByRole('button', LOAD);
    jest.spyOn(client.applications, 'list').mockResolvedValueOnce({ items: [], nextCursor: null });
    jest.spyOn(client.applications, 'list').mockRejectedValueOnce(new Error('Away'));
    await user.click(button);
    await within(await screen.findByRole('dialog')).findByText(/could not be found out/);
  });

  it('takes the next identifier if another application has its own, also one that appears in the meantime', async () => {
    service.install({ identifier: 'sample-shop', name: 'Other', version: '1' });
    const { user, at } = await show();
    const button = await screen.findByRole('button', LOAD);
    jest.spyOn(client.applications, 'install').mockImplementationOnce((manifest) =>
      answer(() => {
        service.install({ identifier: manifest.identifier, name: 'Another', version: '1' });
        return service.install(manifest) as never;
      }),
    );
    await user.click(button);
    await waitFor(() => expect(at()).toBe('/events/log'));
    expect(service.applications.map(({ identifier }) => identifier)).toEqual([
      'sample-shop',
      'sample-shop-2',
      'sample-shop-3',
    ]);
    const { manifest } = service.applications[2] ?? {};
    expect(JSON.stringify(manifest)).toContain('"applicationIdentifier":"sample-shop-3"');
    expect(service.envelopes.map(({ application }) => application)).toEqual(Array(3).fill('sample-shop-3'));
  });

  it('is offered neither again nor to members, and is led to', async () => {
    const { user, at } = await show();
    await user.click(await screen.findByRole('button', LOAD));
    await waitFor(() => expect(at()).toBe('/events/log'));
    cleanup();
    await show();
    const link = await screen.findByRole('link', { name: 'Open the sample shop' });
    expect(link.getAttribute('href')).toBe('/applications/sample-shop');
    expect(screen.queryByRole('button', LOAD)).toBeNull();
    cleanup();
    await show(<SampleShopOffer />, 'MEMBER');
    expect(document.querySelector('main')?.textContent).toBe('');
  });

  it('emits again once it was uninstalled and is loaded again', async () => {
    const first = await show();
    await first.user.click(await screen.findByRole('button', LOAD));
    await waitFor(() => expect(first.at()).toBe('/events/log'));
    Object.assign(service.applications[0] ?? {}, { installed: false });
    cleanup();
    const second = await show();
    await second.user.click(await screen.findByRole('button', LOAD));
    await waitFor(() => expect(second.at()).toBe('/events/log'));
    expect(service.applications.map(({ identifier, installed }) => [identifier, installed])).toEqual([
      ['sample-shop', true],
    ]);
    expect(emitted()).toEqual([...EMITTED, ...EMITTED]);
  });

  it('is completed from its own page, where no other application offers it', async () => {
    service.refused.push('event 2');
    const first = await show();
    await first.user.click(await screen.findByRole('button', LOAD));
    await screen.findByText(/1 of 3 events/);
    cleanup();
    const [shop] = service.applications;
    if (shop === undefined) throw new Error('Not installed');
    const { user, at } = await show(<SampleShopRest application={shop} />);
    await screen.findByText('The sample shop has emitted 1 of its 3 events.');
    await user.click(screen.getByRole('button', LOAD));
    await waitFor(() => expect(at()).toBe('/events/log'));
    expect(emitted()).toEqual(EMITTED);
    cleanup();
    await show(<SampleShopRest application={{ ...shop, manifest: { ...shop.manifest, tasks: [] } }} />);
    expect(document.querySelector('main')?.textContent).toBe('');
  });
});
