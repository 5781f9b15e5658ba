import { afterEach, expect, it } from '@jest/globals';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import { renderInApp } from '../../../test/render.tsx';
import { FormOf } from './form-of.tsx';

afterEach(cleanup);

const field = () => screen.getByLabelText<HTMLInputElement>('Name');
const isInert = () => field().closest('[inert]') !== null;

/** A page with a form of what an earlier page has loaded, which is loaded again. */
async function show() {
  const queries = new QueryClient();
  let loading = Promise.withResolvers<{ name: string }>();
  queries.setQueryData(['tool'], { name: 'Pets' });
  function Page() {
    const tool = useQuery({ queryKey: ['tool'], queryFn: () => loading.promise });
    return (
      <FormOf query={tool} id="t-1">
        {({ name }) => <input aria-label="Name" defaultValue={name} />}
      </FormOf>
    );
  }
  await renderInApp(
    <QueryClientProvider client={queries}>
      <Page />
    </QueryClientProvider>,
  );
  const answer = async (name: string) => {
    await act(async () => loading.resolve({ name }));
    await waitFor(() => expect(queries.isFetching()).toBe(0));
    loading = Promise.withResolvers();
  };
  return { queries, answer };
}

it('shows at once what an earlier page has left, and can be filled once that is loaded again', async () => {
  const { answer } = await show();
  const shown = field();
  expect([shown.value, isInert()]).toEqual(['Pets', true]);
  await answer('Pets');
  await waitFor(() => expect(isInert()).toBe(false));
  expect(field()).toBe(shown);
});

it('begins anew with what is loaded, and follows nothing afterwards', async () => {
  const { queries, answer } = await show();
  await answer('Pet shop');
  await waitFor(() => expect([field().value, isInert()]).toEqual(['Pet shop', false]));
  const reloaded = queries.invalidateQueries();
  expect(isInert()).toBe(false);
  await answer('Pet store');
  await reloaded;
  expect(field().value).toBe('Pet shop');
});
